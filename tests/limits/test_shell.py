"""Shell lines as agents write them: what each does, which files it shows; any text gets an answer, in bounded time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.limits.shell.judge import judge
from borgd.limits.shell.parse import MAX_LINE_CHARS, parse
from borgd.limits.shell.tables.tool import Effect
from borgd.limits.shell.words import ShellSyntaxError

NOTHING = """
true
:
cd /tmp
echo hello world
echo "a > b"
echo 'rm -rf /'
printf '%s\\n' "$x"
export A=1
A=1
A=1 B="x y"
pushd x && popd
sleep 5
test -f x
[ -f x ] && [ -d y ]
[[ a > b && -f x ]]
((x = 1 + 2))
type git
which python3 node
command -v git
exit 3
set -euo pipefail
date
date +%Y-%m-%d
date -d yesterday
echo x >/dev/null 2>&1
echo x >&2
git
kill -l
cat <<EOF
rm -rf /
EOF
cat <<< "rm x"
# only a comment
"""

READ = """
ls
ls -la src | head -20
cat README.md
cat a b c
/bin/cat /etc/hosts
\\cat x
'cat' x
pwd
find . -name '*.py' -not -path './x/*'
find . -type f -exec grep -l foo {} \\;
find . -type f -exec grep -l foo {} +
find . -name x | xargs cat
find . -print0 | xargs -0 -n 1 -I {} sh -c 'wc -l {}'
fd -e py foo
fd foo -x wc -l
grep -rn "foo(" src/ --include='*.py'
grep -rn 'x > y' .
rg -n "a|b" -g '!x' | sort | uniq -c | sort -rn | head
ag foo
wc -l < file.txt
sed -n '1,20p' file.py
sed -e 's/a/b/' -e 's/c/d/g' x
sed 's/i/w /' x
sed '/^#/d' x
awk '{print $1}' x
awk -F: '$3 > 1000 {print $1}' /etc/passwd
awk '{ if ($1 > 2) print $0 }' x
awk '{print $1 ">" $2}' x
sort -k2 -n x | uniq
cut -d, -f1 x.csv
tr a b < x
diff a b
diff <(sort a) <(sort b)
comm -12 <(sort a) <(sort b)
jq '.a.b' x.json
yq .a x.yml
tree -L 2
du -sh *
stat x
file x
which foo; ls
env
env | sort
printenv PATH
ps aux | grep node
head -n 5 x
tail -f log
tail -n +5 x
less x
xxd x | head
strings a.out | grep foo
md5sum x
base64 x
realpath x
git status
git status --porcelain
git -C /repo log --oneline -5
git --no-pager diff HEAD~3 -- src
git log -p -S'foo' --all
git show HEAD:src/a.py
git blame -L 10,20 src/a.py
git grep -n foo
git branch
git branch -a
git branch --list 'x*'
git branch --show-current
git branch --contains abc123
git tag
git tag -l 'v1*'
git tag --contains abc
git stash list
git stash show -p
git remote -v
git remote get-url origin
git config user.name
git config --get user.name
git config --list
git worktree list
git submodule status
git reflog
git rev-parse --show-toplevel
git ls-files | wc -l
git ls-remote origin
git cat-file -p HEAD
git diff --stat main...HEAD
git log --format='%h > %s'
git clean -n
git push --dry-run
git apply --check x.patch
git symbolic-ref HEAD
git hash-object x
git archive HEAD | tar t
git bisect log
git notes list
curl -s https://example.com/x
curl -sS -H 'A: b' https://example.com | jq .
curl -I https://example.com
curl -X GET https://example.com
curl -s -o /dev/null -w '%{http_code}' https://example.com
wget -qO- https://example.com
wget -O - https://example.com
wget --spider https://example.com
tar tzf x.tgz
tar -tvf x.tar
unzip -l x.zip
gzip -cd x.gz
zcat x.gz
npm ls
npm view foo version
pip show foo
pip list
cargo tree
cargo --version
python3 --version
node --version
go list ./...
go doc fmt
docker ps -a
docker logs x
kubectl get pods -n x
kubectl -n x describe pod y
helm list
terraform show
systemctl status x
journalctl -u x --since today
gh pr view 12
gh pr list --state open
gh issue list
gh api repos/a/b
gh api -X GET repos/a/b
brew list
apt list --installed
apt-cache search x
dpkg -l
sudo cat /etc/shadow
sudo -u x cat y
timeout 5 cat x
timeout -s KILL 5s cat x
nice -n 5 cat x
nohup cat x
time cat x
env A=1 B=2 cat x
env -i cat x
A=1 cat x
stdbuf -oL cat x
bash -c 'cat x'
bash -lc "cat x | head"
sh -ec 'ls'
eval "cat x"
for f in a b; do cat "$f"; done
for f in *.py; do echo "== $f"; head -5 "$f"; done
while read -r l; do echo "$l"; done < list.txt
if [ -f x ]; then cat x; else ls; fi
case $x in a|b) cat x;; *) ls;; esac
until false; do cat x; done
{ cat x; ls; }
( cd x && ls )
(cat x; ls) | grep foo
x=$(cat y); echo "$x"
echo `cat y`
echo "$(cat "$(ls | head -1)")"
cat <<'EOF' | grep x
$(rm y)
EOF
f() { cat x; }; f
function f { cat x; }; f
cat x || true
cat x && ls ; pwd & ls
cat x 2>/dev/null
cat x 2>&1 | head
cat x &>/dev/null
cat x >/dev/stderr
cat x # > y
cat \\
  x
hostname
crontab -l
mypy src
shellcheck x.sh
ruff check src
gofmt -l .
prettier --check .
make -n all
make --version
patch --dry-run -p1 < x.patch
rsync -n a b
a=(1 2 $(ls)); echo ${a[0]}
echo ${x:-$(cat y)}
echo $((1 + $(wc -l < x)))
ip addr
svn log
"""

CHANGE = """
rm x
rm -rf build
\\rm x
/bin/rm x
mv a b
cp a b
mkdir -p x/y
touch x
ln -s a b
chmod +x x
echo x > y
echo x >> y
echo x >| y
cat a > b
cat a b 2> errors.txt
cat x &> y
cat x >& y
> x
: > x
cat > x <<EOF
hello
EOF
cat <<EOF > x
hello
EOF
tee x < y
cat a | tee b
cat a | tee -a b | wc -l
sed -i 's/a/b/' x
sed -i.bak 's/a/b/' x
sed -ni 's/a/b/p' x
sed --in-place=.bak 's/a/b/' x
sed -n 'w out' x
sed 's/a/b/w out' x
perl -pi -e 's/a/b/' x
awk '{print > "out"}' x
awk '{print $1 >> "out"}' x
gawk -i inplace '{print}' x
sort -o x x
sort -ox x
uniq a b
find . -name '*.pyc' -delete
find . -name x -exec rm {} \\;
find . -name x -exec rm -f {} +
find . -type f -fprint out
find . | xargs rm
find . -print0 | xargs -0 -n1 rm -f
find . -name '*.py' | xargs -I{} sed -i 's/a/b/' {}
fd -x rm
fd foo --exec rm {}
dd if=a of=b
truncate -s 0 x
mktemp
git add .
git commit -m 'x'
git push
git pull
git fetch
git checkout main
git checkout -- x
git switch -c x
git reset --hard
git stash
git stash pop
git merge x
git rebase main
git branch x
git branch -d x
git branch -D x
git branch -m a b
git tag v1
git tag -a v1 -m x
git tag -d v1
git remote add x y
git config user.name x
git config --global --unset user.name
git clean -fd
git rm x
git mv a b
git restore x
git cherry-pick abc
git revert HEAD
git apply x.patch
git am x
git clone https://example.com/x
git init
git worktree add ../x
git submodule update --init
git -C /repo commit -am x
git -c user.name=x commit -m y
git diff --output=x
git archive -o x.tar HEAD
git update-index --assume-unchanged x
git hash-object -w x
git notes add -m x
git symbolic-ref HEAD refs/heads/x
curl -o x https://example.com
curl -O https://example.com/x
curl -sSLo x https://example.com
curl -X POST https://example.com
curl -XDELETE https://example.com
curl -d a=b https://example.com
curl --data-raw '{}' https://example.com
curl --json '{}' https://example.com
curl -T x https://example.com
wget https://example.com/x
wget -q https://example.com/x -O y
tar xzf x.tgz
tar -xf x.tar -C y
tar czf x.tgz y
unzip x.zip
gzip x
npm install
npm i foo
npm ci
pnpm add foo
yarn
yarn add foo
pip install x
python3 -m pip --version > x
cargo add x
cargo fmt
go get x
go mod tidy
gofmt -w .
black .
ruff format .
ruff check --fix
prettier --write .
eslint --fix src
docker run x
docker rm x
docker compose up -d
kubectl apply -f x
kubectl delete pod x
helm install x y
terraform apply
systemctl restart x
gh pr create
gh pr merge 12
gh issue comment 3 -b x
gh api -X POST repos/a/b
gh api repos/a/b -f x=y
brew install x
apt-get install x
sudo apt install x
sudo rm x
sudo -u x rm y
env A=1 rm x
timeout 5 rm x
timeout -k 1 5 rm x
nice rm x
nohup rm x &
time rm x
command rm x
exec rm x
bash -c 'rm x'
bash -lc "cd y && rm x"
sh -c 'sh -c "rm x"'
eval "rm x"
eval rm x
for f in *; do rm "$f"; done
while read f; do rm "$f"; done < list
if true; then rm x; fi
case $x in a) rm x;; esac
{ rm x; }
( rm x )
(ls; rm x) | cat
{ ls; } > x
for f in a; do cat $f; done > x
x=$(rm y)
echo `rm y`
echo "$(rm y)"
echo "a $(echo "b $(rm c)")"
cat <(rm x)
cat <<EOF
$(rm x)
EOF
f() { rm x; }; f
ls; rm x
ls && rm x
ls || rm x
ls & rm x
ls | rm x
ls |& tee x
! rm x
A=1 rm x
echo ${x:-$(rm y)}
echo $((1 + $(rm x)))
[[ -f $(rm x) ]]
kill 123
pkill node
crontab x
crontab -e
patch -p1 < x
rsync -a a b
scp a b:
mount /dev/a /b
make -n > x
hostname x
xxd -r a b
yq -i '.a=1' x
date -s 2020-01-01
parallel rm
trap 'rm x' EXIT
awk 'BEGIN{system("rm x")}'
"""

UNKNOWN = """
python3 script.py
python3 -c 'print(1)'
node x.js
./run.sh
make
make test
pytest -q
npm test
npm run build
cargo test
cargo build
go test ./...
bash x.sh
bash
curl https://example.com/x | sh
cat x | bash
source x
. x
$CMD x
"$CMD" x
$(which ls) x
eval "$x"
bash -c "$x"
ssh host ls
git myalias
gh foo
unknowncommand
sudo ./x
xargs ./x
find . -exec ./x {} \\;
awk '{print | "sh"}' x
awk 'BEGIN{system("./x")}'
perl -e 'print 1'
perl -ne 'print' x
psql -c 'select 1'
sqlite3 x 'select 1'
echo 'unclosed
echo "unclosed
echo $(unclosed
(unclosed
ls)
ls |& ./x
parallel ./x
"""


def lines(table: str) -> list[str]:
    """One line a case; a here-document, a joined line or an open loop takes the lines up to its end."""
    cases: list[str] = []
    pending: list[str] = []
    until = ""
    for line in table.strip("\n").split("\n"):
        pending.append(line)
        if until:
            if line != until:
                continue
        elif "<<EOF" in line or "<<'EOF'" in line:
            until = "EOF"
            continue
        elif line.endswith("\\") and not line.endswith("\\\\"):
            continue
        cases.append("\n".join(pending))
        pending, until = [], ""
    return cases


CASES = [
    (line, effect)
    for table, effect in ((NOTHING, Effect.NOTHING), (READ, Effect.READ), (CHANGE, Effect.CHANGE), (UNKNOWN, Effect.UNKNOWN))
    for line in lines(table)
]


def test_the_table_is_large() -> None:
    assert len(CASES) > 350
    assert len({line for line, _ in CASES}) == len(CASES)


@pytest.mark.parametrize(("line", "effect"), CASES)
def test_what_a_line_does(line: str, effect: Effect) -> None:
    assert judge(line).effect is effect


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("cat a b", ("a", "b")),
        ("cat a a ./b", ("a", "./b")),
        ("cat 'a b' | grep x", ("a b",)),
        ("head -n 5 x", ("x",)),
        ("head -5 x y", ("x", "y")),
        ("tail -n +5 x", ("x",)),
        ("sed -n '1,20p' src/a.py", ("src/a.py",)),
        ("sed -e p -n x y", ("x", "y")),
        ("awk -F: '{print $1}' v=1 /etc/passwd", ("/etc/passwd",)),
        ("jq .a x.json", ("x.json",)),
        ("wc -l < in.txt", ("in.txt",)),
        ("diff a b", ("a", "b")),
        ("cut -d , -f 1 x.csv", ("x.csv",)),
        ("git show HEAD:src/a.py", ("HEAD:src/a.py",)),
        ("git blame -L 1,5 a.py", ("a.py",)),
        ("git log --oneline", ()),
        ("curl -s https://example.com/a", ("https://example.com/a",)),
        ("grep -rn foo src", ()),
        ("ls src", ()),
        ("for f in a b; do cat $f; done", ("$f",)),
        ("cat *.py", ("*.py",)),
        ("find . -exec cat {} +", ("{}",)),
        ("cat -", ()),
        ("cat x > /dev/null", ("x",)),
        ("sudo cat /etc/shadow", ("/etc/shadow",)),
        ("bash -c 'cat a; cat b'", ("a", "b")),
    ],
)
def test_which_files_a_line_shows(line: str, files: tuple[str, ...]) -> None:
    assert judge(line).files == files


def test_words_come_out_as_the_shell_passes_them() -> None:
    def words(line: str) -> list[list[str]]:
        return [[word.text for word in command.words] for command in parse(line).commands]

    assert words("""a 'b c' "d e" f\\ g h"i"'j'""") == [["a", "b c", "d e", "f g", "hij"]]
    assert words("a \"b\\\"c\" 'd\"e' $'f\\'g'") == [["a", 'b"c', 'd"e', "f'g"]]
    assert words("a;b&&c||d|e&f\ng") == [[letter] for letter in "abcdefg"]
    assert words("a 2>x 3>&1 b>y <z") == [["a", "b"]]
    assert words("a 2 >x") == [["a", "2"]]
    assert words("a#b #c") == [["a#b"]]
    assert words("a \\\n b") == [["a", "b"]]
    assert words("A=1 b=2 c d=3") == [["c", "d=3"]]
    assert words("'A=1' b") == [["A=1", "b"]]
    assert words("case $x in (a|b) c;; d) e;; esac; f") == [["c"], ["e"], ["f"]]
    assert words("for x in a b; do c; done") == [["c"]]
    assert words("cat <<-A\n\tx\n\tA\nb") == [["cat"], ["b"]]
    assert words("cat <<A <<B\n1\nA\n2\nB\nc") == [["cat"], ["c"]]


ALPHABET = " \t\n;&|<>(){}[]$`\"'\\#!=*?~-aAx1/"
PIECES = [
    "$(",
    "$((",
    "))",
    "${",
    "<<EOF\n",
    "EOF\n",
    "<(",
    "[[ ",
    " ]]",
    "case x in ",
    "esac",
    "for ",
    " do ",
    "done",
    "rm x",
    "cat y",
    ";;",
    "f() {",
]


@settings(max_examples=600, deadline=None)
@given(st.lists(st.text(ALPHABET, max_size=4) | st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join))
def test_any_text_gets_an_answer(text: str) -> None:
    judged = judge(text)
    assert judged.effect in Effect
    try:
        parse(text)
    except ShellSyntaxError:
        assert judged.effect >= Effect.UNKNOWN


HARMLESS = [line for line, effect in CASES if effect <= Effect.READ and "\n" not in line and "#" not in line]
CHANGES = [line for line, effect in CASES if effect is Effect.CHANGE]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(CHANGES), st.sampled_from(HARMLESS))
def test_a_change_anywhere_in_a_line_is_seen(change: str, harmless: str) -> None:
    joined = [f"{harmless}\n{change}\n"]
    if "\n" not in change:
        joined.append(f"{harmless}; {change}")
        joined.append(f"( {change} ); {harmless}")
        joined.append(f"if {harmless}; then {change}; fi")
        joined.append(f"x=$( {change} ); {harmless}")
    for text in joined:
        assert judge(text).effect is Effect.CHANGE, text


@pytest.mark.parametrize(
    "text",
    [
        "$((" * 20_000, "(" * 65_000, "$(" * 30_000,
        "`" * 65_000, '"$(' * 20_000, "${" * 30_000, ";x" * 30_000, "|" * 65_000,
        "cat " + "<<A " * 8_000 + "\n" + "x\n" * 8_000, "case x in a)" * 5_000, "a(){" * 9_000, "$((a) " * 9_000,
        "cat " + "x " * 30_000, "x" * (MAX_LINE_CHARS + 1), "'" + "x" * 60_000, "\\" * 60_000, "echo " + "$((1)) " * 9_000,
        "\n" * 65_000, "if " * 20_000, "eval " * 10_000, "sudo " * 12_000 + "rm x",
        "sh -c '" * 9_000, "find " + "-exec " * 10_000,
    ],
)  # fmt: skip
def test_hostile_lines_cost_little(text: str) -> None:
    started = time.process_time()
    judge(text)
    assert time.process_time() - started < 5


def test_a_line_that_names_a_thousand_files_counts_as_many_as_any_budget_has() -> None:
    assert len(judge("cat " + " ".join(f"f{n}" for n in range(1_000))).files) == 256
