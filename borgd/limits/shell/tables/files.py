"""Commands whose name nearly says it all: the shell's own, readers and changers of files, documents and pictures. Data."""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets, words

NOTHING = words(
    """
    : [ [[ alias bg bind break cal cd clear complete compgen compopt continue declare dirs disown echo emulate
    exit export expr false fg getopts hash help history jobs let local logout mapfile popd print printf pushd
    read readarray readonly return seq set setopt shift shopt sleep stty test times true type typeset ulimit
    umask unalias unset unsetopt wait which whereis yes tput reset dirname basename rehash autoload zstyle
    usleep banner cowsay figlet lolcat
    """
)
"""Session-local or silent."""

READ = words(
    """
    ack ag apropos b2sum base32 bc cksum colordiff comm cut diff3 egrep exa fmt expand unexpand eza factor
    fgrep finger free getconf getent grep groups head hexdump hostid id info iostat join jq gojq fx last
    ldd locate look ls lla lsof man md5sum md5 mediainfo nl nm nproc ntpq numfmt objdump od paste pgrep ps
    pstree ptx pwd readelf readlink realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum shasum sum
    sha1 sha256 size stat strings tac tail tokei scc top tr tsort tty uname users w wc who whoami zcat zdiff
    zgrep zegrep zfgrep zless zmore xzcat bzcat lz4cat zstdcat gzcat bat batcat dig drill doggo dog host
    nslookup ping ping6 fping whois plocate mlocate glow hexyl tldr cheat uptime vdir dir lsd broot ncdu dust
    duf gdu procs pidwait pinfo whatis du df cmp diff zcmp wdiff dwdiff dircolors printenv logname lsattr
    namei pathchk nstat jc csvcut csvlook csvstat csvgrep csvjson csvsort in2csv htmlq pup gron jless
    ffprobe identify pdfinfo pdffonts pdfgrep catdoc antiword fc-list fc-match ncal sloccount fzf peco lscpu
    lsmem lsinitramfs tree-sitter
    """
)
"""Look at files, processes or the machine whatever their options."""

CHANGE = words(
    """
    rm rmdir mv mkdir touch ln chmod chown chgrp install truncate shred mkfifo mknod unlink pkill killall scp
    sftp rcp umount useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup chsh chfn
    split csplit rename setfacl chattr wall write logger reboot shutdown halt poweroff init telinit swapoff
    mkfs mkfs.ext4 mkfs.xfs mkfs.vfat mkswap wipefs chpasswd newgrp dpkg-reconfigure sponge indent unix2dos
    dos2unix renice trash trash-put trash-empty trash-restore rip safe-rm srm link ffmpeg convert mogrify
    magick composite montage potrace optipng jpegoptim pngquant cwebp svgo mutool gs wkhtmltopdf wkhtmltoimage
    soffice libreoffice pdftk qpdf pdfunite pdfseparate ps2pdf latexmk pdflatex xelatex lualatex tex bibtex
    latex sd fastmod gcp gmv grm aria2c axel youtube-dl yt-dlp mail mailx sendmail mutt mkisofs growisofs
    wodim stow ctags etags cscope gtags rdfind
    """
)
"""Change files, processes or the machine whatever their options, but for ``--help``, ``--version`` and ``--dry-run``."""

SHOWS_FILES = words(
    """
    cat head tail less more bat batcat nl tac od xxd hexdump strings cut sort uniq diff cmp comm paste join fold
    column rev zcat zless bzcat xzcat colordiff sdiff pr hexyl glow
    """
)
"""Readers whose operands are files they show."""

TAKES_VALUE: Mapping[str, frozenset[str]] = {
    "head": words("-n -c --lines --bytes"),
    "tail": words("-n -c --lines --bytes -s --pid"),
    "cut": words("-d -f -c -b --delimiter --fields"),
    "sort": words("-k -t -S -T --key --field-separator"),
    "uniq": words("-f -s -w"),
    "nl": words("-b -v -w -s -n -i"),
    "od": words("-A -t -N -j -w"),
    "xxd": words("-l -s -c -g -o"),
    "hexdump": words("-n -s -e -f"),
    "strings": words("-n -t -e"),
    "column": words("-s -N -o"),
    "fold": words("-w"),
    "bat": words("-l -r --language --line-range --style --theme -H"),
    "diff": words("-U -C -x -I --label -L"),
    "paste": words("-d"),
    "join": words("-t -1 -2 -o -a -e -j"),
    "less": words("-p -x -j"),
    "jq": words("--arg --argjson --indent --slurpfile --rawfile -L -f --from-file"),
    "sed": words("-e -f -l --expression --file"),
    "awk": words("-F -v -f"),
}
"""Options whose value is the next word, for the commands whose operands matter."""

TOOLS: Mapping[str, Tool] = {
    "tree": looks(writes="-o -R", values="-L -P -I -H -T --charset --filelimit"),
    "sort": looks(
        writes="-o --output --outpu --outp --out --ou --o",
        doubts="--compress-program",
        values="-k -t -S -T --key --field-separator --parallel",
    ),
    "shuf": looks(writes="-o --output --outpu --outp --out --ou --o", values="-n -i"),
    "less": looks(writes="-o -O --log-file --LOG-FILE", values="-p -x -j -P -t"),
    "more": looks(),
    "most": looks(),
    "file": looks(writes="-C --compile", values="-m -f -F -e -P"),
    "rg": looks(doubts="--pre --hostname-bin", values="-e -g -t -T -A -B -C -m -f -r --glob --type --max-depth"),
    "ugrep": looks(doubts="--filter"),
    "cloc": looks(writes="--out --report-file --sum-reports"),
    "column": looks(),
    "pr": looks(),
    "fold": looks(),
    "uname": looks(),
    "iconv": looks(writes="-o --output", values="-f -t"),
    "base64": looks(writes="-o --output", values="-i -w"),
    "sdiff": looks(writes="-o --output", values="-w"),
    "vimdiff": Tool(),
    "meld": Tool(),
    "xsltproc": looks(writes="-o --output"),
    "xmlstarlet": Tool(look="sel val el fo c14n ls", verbs={"ed": looks(writes="-L --inplace")}),
    "xq": looks(writes="-i --in-place"),
    "tomlq": looks(writes="-i --in-place"),
    "jaq": looks(writes="-i --in-place"),
    "mlr": looks(writes="-I", doubts="--from-script --load --mload", long_with_one_dash=True),
    "yq": looks(writes="-i --inplace --in-place -s --split-exp"),
    "dasel": Tool(Effect.READ, change="put delete"),
    "jo": Tool(Effect.NOTHING),
    "crudini": changes(looks="--get"),
    "augtool": Tool(),
    "pandoc": looks(writes="-o --output", values="-f -t --from --to"),
    "exiftool": looks(writes="-delete_original -overwrite_original -all="),
    "exiv2": looks(look="pr print", change="rm delete in insert mo modify ex extract"),
    "identify": looks(),
    "pdftoppm": changes(),
    "pdfimages": changes(looks="-list", long_with_one_dash=True),
    "sox": changes(),
    "soxi": looks(),
    "mediainfo": looks(),
    "gifsicle": looks(writes="-o -b --batch --output"),
    "hostname": shows_or_sets(
        values="-F", writes="-F --file -b", looks="-I -i -f -s -d -A --fqdn --short --ip-address --all-ip-addresses"
    ),
    "domainname": shows_or_sets(),
    "cal": Tool(Effect.NOTHING),
    "xclip": changes(looks="-o -out", long_with_one_dash=True),
    "xsel": changes(looks="-o --output"),
    "wl-copy": changes(),
    "wl-paste": looks(),
    "mktemp": changes(looks="-u --dry-run"),
    "cp": changes(),
    "gcp": changes(),
    "patch": changes(dry="--dry-run -C --check"),
    "rsync": changes(
        dry="-n --dry-run --list-only", values="-e --rsh --exclude --include --exclude-from --include-from -f --filter"
    ),
    "kill": changes(looks="-l -L --list --table -0", values="-s -n"),
    "killall": changes(looks="-l --list -0"),
    "pkill": changes(looks="-0"),
    "fuser": looks(writes="-k --kill"),
    "vim": Tool(
        looks="-R -M",
    ),
    "vi": Tool(looks="-R"),
    "view": looks(),
    "nvim": Tool(looks="-R"),
    "nano": Tool(looks="-v --view"),
    "emacs": Tool(),
    "ed": Tool(),
    "ex": Tool(),
    "micro": Tool(),
    "hx": Tool(looks="--health"),
    "open": Tool(),
    "xdg-open": Tool(),
    "code": Tool(
        looks="--list-extensions --status -s", writes="--install-extension --uninstall-extension --update-extensions"
    ),
    "cursor": Tool(looks="--list-extensions", writes="--install-extension --uninstall-extension"),
    "codium": Tool(looks="--list-extensions", writes="--install-extension --uninstall-extension"),
    "subl": Tool(),
    "idea": Tool(),
    "python": Tool(),
    "watchman": Tool(
        look="watch-list version get-config find query",
        change="watch watch-del watch-del-all watch-project shutdown-server trigger trigger-del",
    ),
    "borg": Tool(Effect.UNKNOWN, bare=Effect.NOTHING, look="status doctor recall why trust report tail"),
    "claude": Tool(looks="--version", verbs={"mcp": Tool(look="list get", change="add remove add-json")}),
    "codex": Tool(),
    "ollama": Tool(look="list ls ps show", change="pull push rm cp create run stop serve"),
    "llm": Tool(look="models logs templates keys"),
    "huggingface-cli": Tool(look="whoami scan-cache env", change="download upload login logout delete-cache repo"),
    "hf": Tool(look="whoami version env", change="download upload auth repo"),
    "wandb": Tool(look="status", change="login sync init artifact"),
    "nvidia-smi": Tool(),
    "nvcc": changes(looks="-V"),
    "fc-cache": changes(),
    "gsettings": Tool(
        look="get list-schemas list-keys list-recursively range writable describe", change="set reset reset-recursively"
    ),
    "dconf": Tool(look="read list dump", change="write reset load update"),
    "xrandr": shows_or_sets(bare=Effect.READ, looks="-q --query --current"),
    "amixer": Tool(look="scontrols controls contents get sget", change="set sset cset"),
    "pactl": Tool(look="list info stat get-*", change="set-* load-module unload-module move-* suspend-*"),
    "notify-send": changes(),
    "xdg-mime": Tool(look="query", change="default install uninstall"),
    "xdg-settings": Tool(look="get check", change="set"),
    "loadkeys": changes(),
    "setxkbmap": changes(looks="-query -print", long_with_one_dash=True),
}
