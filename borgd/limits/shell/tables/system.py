"""The machine: packages of the system, services, disks, network, users, macOS and Windows. Data."""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets

_APT = Tool(
    look=("list show search policy depends rdepends madison showsrc changelog help moo showpkg pkgnames dump stats unmet"),
    change=(
        "install remove purge update upgrade autoremove full-upgrade dist-upgrade build-dep "
        "clean autoclean edit-sources reinstall download source satisfy"
    ),
    dry="-s --simulate --just-print --dry-run --no-act --recon --print-uris",
    values="-o --option -t --target-release -c --config-file",
    verbs={"check": looks(), "indextargets": looks()},
)
_RPM_LIKE = Tool(
    dry="--assumeno",
    look=("list info search repolist repoquery provides whatprovides deplist check-update grouplist check"),
    change=(
        "install remove erase update upgrade downgrade reinstall autoremove makecache clean "
        "groupinstall localinstall swap distro-sync mark config-manager builddep"
    ),
    verbs={
        "history": Tool(bare=Effect.READ, look="list info", change="undo redo rollback"),
        "group": Tool(look="list info", change="install remove"),
        "module": Tool(look="list info", change="enable disable install reset"),
        "repo": Tool(look="list info"),
    },
)
_IPTABLES = changes(
    looks="-L --list -S --list-rules -C",
    writes="-A -D -I -R -F -Z -N -X -P -E --append --delete --insert --replace --flush --zero --policy",
    ignores="--check --diff --list --dry-run",
)
_IP_OBJECT = Tool(
    bare=Effect.READ,
    look="show list ls lst get sh dev",
    change="add del delete set flush change replace append prepend",
)
"""Other words may be abbreviations of either kind (``ip a a``)."""

TOOLS: Mapping[str, Tool] = {
    "apt": _APT,
    "apt-get": _APT,
    "aptitude": _APT,
    "apt-cache": looks(),
    "apt-mark": Tool(look="showauto showmanual showhold", change="auto manual hold unhold minimize-manual"),
    "apt-file": Tool(look="search list find show", change="update purge"),
    "apt-key": Tool(look="list finger export exportall", change="add del update adv net-update"),
    "add-apt-repository": changes(looks="-l --list"),
    "dpkg": looks(
        writes=(
            "-i --install -r --remove -P --purge --configure --unpack --set-selections "
            "--clear-selections --add-architecture --remove-architecture -a --force-all"
        ),
        dry="--dry-run --no-act --simulate",
    ),
    "dpkg-query": looks(),
    "dpkg-deb": looks(writes="-b --build -x --extract -X --vextract -R --raw-extract -e --control"),
    "update-alternatives": changes(looks="--list --display --query --get-selections", ignores="--list --check --diff"),
    "yum": _RPM_LIKE,
    "dnf": _RPM_LIKE,
    "dnf5": _RPM_LIKE,
    "microdnf": _RPM_LIKE,
    "zypper": Tool(
        look=("search se info if list-updates lu repos lr packages pa what-provides wp patches services"),
        change=("install in remove rm update up dup refresh ref addrepo ar removerepo rr addlock patch clean"),
        dry="-D --dry-run",
    ),
    "apk": Tool(
        look="info list search policy stats version dot audit",
        change="add del update upgrade fix cache fetch",
        dry="-s --simulate",
    ),
    "emerge": changes(dry="-p --pretend -s --search --info"),
    "snap": Tool(
        look="list info find version changes tasks connections services interfaces known get",
        change=("install remove refresh revert enable disable connect disconnect set unset start stop restart alias switch"),
    ),
    "flatpak": Tool(
        look="list info search remotes history ps remote-ls remote-info",
        change="install uninstall remove update run remote-add remote-delete override mask pin repair",
    ),
    "brew": Tool(
        look=(
            "list ls info search deps uses outdated doctor config desc leaves home cat log "
            "formulae casks tap-info missing options --prefix commands help"
        ),
        looks="--prefix --cellar --repository --cache --caskroom --env --config",
        change=(
            "install uninstall remove rm upgrade update tap-new untap link unlink reinstall "
            "cleanup autoremove pin unpin postinstall migrate create edit fetch"
        ),
        dry="-n --dry-run",
        verbs={
            "services": Tool(bare=Effect.READ, look="list info", change="start stop restart run kill cleanup"),
            "tap": shows_or_sets(),
            "bundle": Tool(bare=Effect.CHANGE, look="list check", change="install dump cleanup add remove"),
            "analytics": Tool(bare=Effect.READ, look="state", change="on off"),
            "developer": Tool(),
            "outdated": looks(),
            "audit": looks(writes="--fix"),
            "style": looks(writes="--fix"),
        },
    ),
    "port": Tool(
        look="list search info installed outdated deps contents", change="install uninstall selfupdate upgrade sync clean"
    ),
    "choco": Tool(
        look="list search find info outdated",
        change="install uninstall upgrade pin-add",
        verbs={
            "pin": Tool(look="list", change="add remove"),
            "config": Tool(look="list get", change="set unset"),
            "source": Tool(look="list", change="add remove enable disable"),
        },
    ),
    "winget": Tool(
        look="list search show",
        change="install uninstall upgrade import export pin configure settings",
        verbs={"source": Tool(look="list export", change="add remove update reset"), "upgrade": shows_or_sets()},
    ),
    "scoop": Tool(
        look="list search info status which cat depends",
        change="install uninstall update cleanup reset hold unhold",
        verbs={"bucket": Tool(look="list known", change="add rm")},
    ),
    "nix": Tool(
        look="search path-info why-depends eval show-config",
        change="upgrade-nix copy",
        verbs={
            "flake": Tool(look="show metadata info", change="update lock init new archive clone", verbs={"check": Tool()}),
            "profile": Tool(look="list history", change="install add remove upgrade rollback wipe-history"),
            "store": Tool(look="ls cat ping info", change="gc delete optimise"),
            "develop": Tool(text_of="", doubts=""),
            "fmt": changes(),
            "registry": Tool(look="list", change="add remove pin"),
        },
    ),
    "nix-env": Tool(
        looks="-q --query -p --list-generations",
        writes=("-i -e -u --install --uninstall --upgrade --delete-generations --rollback --switch-generation"),
    ),
    "nix-store": Tool(looks="-q --query -qR --print-env", writes="--gc --delete -r --realise --optimise --add"),
    "nix-collect-garbage": changes(),
    "nixos-rebuild": Tool(look="list-generations", change="switch boot test"),
    "guix": Tool(look="search show size graph describe", change="install remove upgrade pull gc"),
    "systemctl": Tool(
        bare=Effect.READ,
        look=(
            "status list-units list-unit-files list-timers list-sockets list-jobs "
            "list-dependencies list-machines show cat is-active is-enabled is-failed "
            "is-system-running get-default help show-environment"
        ),
        change=(
            "start stop restart reload try-restart reload-or-restart enable disable reenable mask "
            "unmask daemon-reload daemon-reexec kill edit set-property set-default isolate preset "
            "revert reset-failed link clean freeze thaw import-environment set-environment "
            "unset-environment poweroff reboot halt suspend hibernate"
        ),
        values="-t --type -H --host -M --machine -n --lines -o --output -p --property --state",
        ignores="--dry-run --check --diff --list",
    ),
    "journalctl": looks(
        writes=(
            "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --sync --relinquish-var "
            "--update-catalog --setup-keys"
        )
    ),
    "loginctl": Tool(
        bare=Effect.READ,
        look=("list-sessions list-users list-seats session-status show-session user-status show-user show-seat seat-status"),
        change=(
            "terminate-session kill-session terminate-user kill-user lock-session unlock-session "
            "enable-linger disable-linger activate"
        ),
    ),
    "timedatectl": Tool(
        bare=Effect.READ,
        look="status show list-timezones timesync-status show-timesync",
        change="set-time set-timezone set-ntp set-local-rtc",
    ),
    "hostnamectl": Tool(
        bare=Effect.READ,
        look="status",
        change="set-hostname set-icon-name set-chassis set-deployment hostname-set",
        verbs={"hostname": shows_or_sets()},
    ),
    "localectl": Tool(
        bare=Effect.READ, look="status list-locales list-keymaps", change="set-locale set-keymap set-x11-keymap"
    ),
    "resolvectl": Tool(
        bare=Effect.READ, look="status query statistics show-cache", change="flush-caches dns domain revert reset-statistics"
    ),
    "networkctl": Tool(bare=Effect.READ, look="list status lldp", change="up down renew reload reconfigure delete"),
    "coredumpctl": Tool(bare=Effect.READ, look="list info", verbs={"dump": looks(writes="-o --output")}),
    "systemd-run": changes(ignores="--help --dry-run --check --diff --list"),
    "service": Tool(looks="--status-all", scan=True, look="status", change="start stop restart reload force-reload"),
    "rc-service": Tool(scan=True, look="status", change="start stop restart"),
    "supervisorctl": Tool(
        look="status pid avail tail maintail version",
        change="start stop restart reread update reload shutdown add remove clear signal",
        values="-c",
    ),
    "pm2": Tool(
        look="ls list l status logs show describe info monit jlist prettylist env",
        change=("start stop restart reload delete del kill save resurrect startup unstartup flush scale reset"),
    ),
    "launchctl": Tool(
        look="list print print-disabled blame getenv error managername",
        change=("load unload start stop bootstrap bootout enable disable kickstart kill setenv unsetenv remove submit"),
    ),
    "ip": Tool(
        values="-n -netns -f -family",
        bare=Effect.READ,
        long_with_one_dash=True,
        doubts="-b -batch -force",
        verbs={
            **dict.fromkeys(
                (
                    "a",
                    "ad",
                    "addr",
                    "address",
                    "l",
                    "link",
                    "r",
                    "ro",
                    "route",
                    "n",
                    "neigh",
                    "rule",
                    "ru",
                    "tunnel",
                    "tun",
                    "maddr",
                    "mroute",
                    "xfrm",
                    "token",
                    "vrf",
                    "netconf",
                    "nexthop",
                    "tcpmetrics",
                ),
                _IP_OBJECT,
            ),
            "monitor": looks(),
            "stats": looks(),
            "netns": Tool(
                look="list ls identify pids",
                change="add del delete set attach",
                bare=Effect.READ,
                verbs={"exec": Tool(runs=1)},
            ),
        },
    ),
    "ss": looks(writes="-K --kill"),
    "netstat": looks(),
    "ifconfig": Tool(Effect.READ, change="up down add del", scan=False, writes=""),
    "iwconfig": looks(),
    "iw": Tool(scan=True, look="list info scan link dump get", change="set add del connect disconnect"),
    "route": Tool(Effect.READ, change="add del delete flush change"),
    "arp": looks(writes="-d -s"),
    "bridge": Tool(scan=True, look="show", change="add del set replace append", bare=Effect.READ),
    "nmcli": Tool(
        scan=True,
        bare=Effect.READ,
        look="show list status general hostname",
        change="up down add modify delete connect disconnect set reload on off edit rescan import",
        values="-f --fields -g --get-values -m --mode",
    ),
    "ethtool": looks(writes="-s -K -G -L -A -C --change --offload --set-ring"),
    "tc": Tool(scan=True, look="show list ls", change="add del delete replace change"),
    "iptables": _IPTABLES,
    "ip6tables": _IPTABLES,
    "iptables-save": looks(),
    "iptables-restore": changes(looks="-t --test"),
    "nft": Tool(look="list", change="add delete flush insert replace create reset destroy", writes="-f"),
    "ufw": Tool(
        look="status version show",
        change=("enable disable allow deny reject limit delete reset reload insert route default logging"),
        ignores="--check --diff --list",
    ),
    "firewall-cmd": changes(
        looks=(
            "--state --list-all --list-ports --list-services --get-zones --get-active-zones "
            "--get-default-zone --list-all-zones --query-port --query-service"
        ),
        ignores="--list --check --diff --dry-run",
    ),
    "nc": Tool(looks="-z"),
    "ncat": Tool(looks="-z"),
    "netcat": Tool(looks="-z"),
    "traceroute": looks(),
    "tracepath": looks(),
    "mtr": looks(),
    "nmap": looks(writes="-oN -oX -oG -oA -oS", doubts="--script", long_with_one_dash=True),
    "tcpdump": looks(writes="-w"),
    "tshark": looks(writes="-w"),
    "ngrep": looks(writes="-O"),
    "wg": Tool(bare=Effect.READ, look="show showconf genkey genpsk pubkey", change="set setconf addconf syncconf"),
    "wg-quick": changes(),
    "tailscale": Tool(
        look="status ip ping netcheck version whois", change="up down login logout set serve funnel cert switch file"
    ),
    "sysctl": Tool(Effect.READ, writes="-w -p --write --load --system"),
    "dmesg": looks(writes="-c -C --clear --read-clear -D -E -n --console-off --console-on --console-level"),
    "lsmod": looks(),
    "modinfo": looks(),
    "modprobe": changes(looks="-n --dry-run --show-depends -D -c --showconfig"),
    "insmod": changes(),
    "rmmod": changes(),
    "fdisk": changes(looks="-l --list -s -x"),
    "sfdisk": changes(looks="-l --list -d --dump -s -n --no-act --verify -V"),
    "parted": changes(looks="-l --list", scan=True, look="print"),
    "blkid": looks(),
    "findmnt": looks(),
    "lsblk": looks(),
    "losetup": changes(bare=Effect.READ, looks="-a --all -l --list -j"),
    "blockdev": changes(looks="--getsize64 --getss --getro --report"),
    "mount": shows_or_sets(looks="-l"),
    "swapon": changes(looks="-s --show --summary"),
    "lvs": looks(),
    "vgs": looks(),
    "pvs": looks(),
    "lvdisplay": looks(),
    "vgdisplay": looks(),
    "pvdisplay": looks(),
    "mdadm": changes(looks="--detail -D --examine -E"),
    "smartctl": looks(writes="-t -s -o -S -X"),
    "hdparm": Tool(looks="-I -i -g"),
    "zfs": Tool(
        look="list get diff version",
        change=("create destroy set snapshot rollback rename clone promote mount unmount receive inherit allow"),
        ignores="--check --diff --list",
        dry="-n",
    ),
    "zpool": Tool(
        look="list status get history iostat version",
        change="create destroy add remove scrub import export upgrade replace offline online set clear",
    ),
    "btrfs": Tool(
        scan=True,
        look="show list df usage du get dump",
        change="create delete snapshot set resize balance scrub add remove start defragment rescan",
    ),
    "e2fsck": changes(looks="-n"),
    "fsck": changes(looks="-N -n"),
    "tune2fs": changes(looks="-l"),
    "dumpe2fs": looks(),
    "df": looks(),
    "passwd": changes(looks="-S --status"),
    "chage": changes(looks="-l --list"),
    "getfacl": looks(),
    "getcap": looks(),
    "setcap": changes(),
    "lsattr": looks(),
    "visudo": changes(looks="-c --check"),
    "faillog": looks(),
    "lastlog": looks(),
    "lastb": looks(),
    "getsebool": looks(),
    "setsebool": changes(),
    "getenforce": looks(),
    "setenforce": changes(),
    "sestatus": looks(),
    "aa-status": looks(),
    "ausearch": looks(),
    "aureport": looks(),
    "crontab": changes(looks="-l", values="-u"),
    "at": changes(looks="-l -c"),
    "atq": looks(),
    "atrm": changes(),
    "hwclock": changes(bare=Effect.READ, looks="-r --show -v"),
    "chronyc": Tool(look="tracking sources sourcestats activity ntpdata", change="makestep burst online offline settime"),
    "ntpdate": changes(looks="-q"),
    "ldconfig": changes(looks="-p --print-cache -N"),
    "updatedb": changes(),
    "depmod": changes(),
    "locale": looks(),
    "locale-gen": changes(),
    "lshw": looks(),
    "dmidecode": looks(),
    "lsusb": looks(),
    "lspci": looks(),
    "sensors": looks(),
    "acpi": looks(),
    "upower": looks(),
    "numactl": Tool(looks="-H --hardware -s --show"),
    "lsns": looks(),
    "lslocks": looks(),
    "lsipc": looks(),
    "ipcs": looks(),
    "ipcrm": changes(),
    "mpstat": looks(),
    "sar": looks(writes="-o"),
    "pidstat": looks(),
    "vmstat": looks(),
    "iotop": looks(),
    "htop": looks(),
    "btop": looks(),
    "nvtop": looks(),
    "glances": looks(),
    "atop": looks(writes="-w"),
    "slabtop": looks(),
    "pidof": looks(),
    "pmap": looks(),
    "fuser": looks(writes="-k --kill"),
    "prlimit": Tool(),
    "lpstat": looks(),
    "lp": changes(),
    "lpr": changes(),
    "inotifywait": looks(),
    "run-parts": Tool(looks="--list --test"),
    "needrestart": Tool(),
    "snapper": Tool(look="list status diff", change="create delete undochange rollback"),
    "virsh": Tool(
        look="list dominfo domstate dumpxml net-list pool-list vol-list nodeinfo version",
        change=("start shutdown destroy undefine define create reboot suspend resume attach-disk detach-disk edit"),
    ),
    "VBoxManage": Tool(look="list showvminfo", change="startvm controlvm createvm modifyvm unregistervm snapshot clonevm"),
    "qemu-img": Tool(look="info check map compare", change="create convert resize snapshot commit rebase amend"),
    "defaults": Tool(look="read read-type domains find export", change="write delete rename import"),
    "sw_vers": looks(),
    "system_profiler": looks(),
    "mdfind": looks(),
    "mdls": looks(),
    "otool": looks(),
    "plutil": changes(looks="-p -lint", long_with_one_dash=True),
    "codesign": changes(looks="-d -v --display --verify -dv -dvvv"),
    "spctl": looks(writes="--add --remove --enable --disable --master-disable"),
    "diskutil": Tool(
        look="list info activity",
        change=("eraseDisk eraseVolume mount unmount mountDisk unmountDisk partitionDisk rename repairVolume apfs"),
    ),
    "scutil": Tool(looks="--get --dns --proxy --nwi", writes="--set"),
    "networksetup": Tool(
        long_with_one_dash=True,
        default=Effect.UNKNOWN,
        looks=("-listallnetworkservices -listallhardwareports -getinfo -getdnsservers -getwebproxy -getcurrentlocation"),
        writes="-setdnsservers -setwebproxy -setairportpower -setmanual -setdhcp",
    ),
    "pmset": Tool(looks="-g", default=Effect.CHANGE),
    "dscl": Tool(
        scan=True,
        look="-read -list read list",
        change="-create -delete -append create delete append",
        default=Effect.UNKNOWN,
    ),
    "softwareupdate": changes(looks="-l --list --history"),
    "mas": Tool(look="list search outdated info account version", change="install upgrade uninstall purchase signin"),
    "pbpaste": looks(),
    "pbcopy": changes(),
    "lipo": changes(looks="-info -archs", long_with_one_dash=True),
    "sips": Tool(looks="-g", writes="-s -z -Z -r"),
    "xattr": changes(bare=Effect.READ, looks="-l -p", writes="-w -d -c"),
    "caffeinate": Tool(runs=0),
    "hdiutil": Tool(look="info imageinfo verify", change="attach detach create convert resize mount unmount eject"),
    "wsl": Tool(
        looks="-l --list --status -v", writes="--install --unregister --shutdown --terminate --import --set-default"
    ),
    "reg": Tool(look="query QUERY", change="add delete import copy restore ADD DELETE"),
    "sc": Tool(look="query qc queryex", change="start stop create delete config"),
    "tasklist": looks(),
    "taskkill": changes(),
    "ipconfig": looks(writes="/release /renew /flushdns"),
    "schtasks": Tool(),
    "icacls": Tool(),
    "dir": looks(),
    "findstr": looks(),
    "where": looks(),
    "ssh-add": changes(looks="-l -L"),
    "ssh-keygen": changes(looks="-l -F -B -y -L"),
    "ssh-keyscan": looks(),
    "ssh-copy-id": changes(looks="-n"),
    "gpg": Tool(
        looks=(
            "--list-keys -k --list-secret-keys -K --verify --fingerprint --list-sigs --check-sigs "
            "--list-packets --list-config --show-keys -d --decrypt"
        ),
        writes=(
            "--import --gen-key --generate-key --full-generate-key --quick-generate-key "
            "--delete-keys --delete-secret-keys --edit-key --recv-keys --refresh-keys --send-keys "
            "--sign-key --trust-model-set -o --output --quick-add-key --import-ownertrust "
            "--delete-key --receive-keys"
        ),
    ),
    "certutil": Tool(),
    "update-ca-certificates": changes(),
    "certbot": Tool(
        look="certificates plugins show_account",
        change="run certonly renew revoke delete register unregister install rollback enhance",
    ),
    "mkcert": changes(looks="-CAROOT", long_with_one_dash=True),
    "openssl": Tool(
        look=(
            "version s_client dgst rand verify ciphers asn1parse crl list ecparam help errstr "
            "speed prime passwd md5 sha256 ocsp"
        ),
        writes="-out --out -keyout -CAcreateserial -writerand",
        long_with_one_dash=True,
        ignores="--check --diff --list --dry-run",
        verbs={
            verb: looks(writes="-out --out -keyout -CAcreateserial", long_with_one_dash=True)
            for verb in (
                "x509",
                "rsa",
                "pkey",
                "req",
                "pkcs12",
                "pkcs7",
                "ec",
                "s_client",
                "dgst",
                "rand",
                "base64",
                "enc",
                "genrsa",
                "genpkey",
                "crl",
                "verify",
                "ecparam",
                "pkcs8",
            )
        },
    ),
    "tmux": Tool(
        look=(
            "ls list-sessions lsw list-windows list-panes lsp list-keys lsk show-options show "
            "info has-session has list-clients list-buffers show-buffer display-message"
        ),
        change=(
            "new new-session kill-session kill-server kill-window kill-pane send-keys send "
            "split-window new-window rename-session rename-window set set-option attach detach "
            "source-file pipe-pane respawn-pane run-shell select-pane select-window resize-pane "
            "load-buffer set-buffer"
        ),
        values="-L -S -f",
        verbs={"capture-pane": changes(looks="-p"), "capturep": changes(looks="-p")},
    ),
    "screen": changes(looks="-ls -list", long_with_one_dash=True),
    "logrotate": changes(looks="-d --debug"),
    "nginx": changes(looks="-t -T -v -V -q"),
    "apachectl": Tool(
        look="configtest status fullstatus", looks="-t -S -M -v -V", change="start stop restart graceful graceful-stop"
    ),
    "httpd": changes(looks="-t -S -M -v -V"),
    "sshd": changes(looks="-t -T"),
    "haproxy": changes(looks="-c -v"),
    "caddy": Tool(
        look="validate version list-modules environ adapt",
        change="run start stop reload trust untrust add-package upgrade",
        verbs={"fmt": looks(writes="-w --overwrite")},
    ),
    "promtool": Tool(look="check query test"),
    "amtool": Tool(scan=True, look="query show check-config list", change="add expire update import"),
    "logcli": looks(),
    "kafka-topics": changes(looks="--list --describe"),
    "kafka-topics.sh": changes(looks="--list --describe"),
    "kafka-consumer-groups": changes(looks="--list --describe"),
    "kafka-consumer-groups.sh": changes(looks="--list --describe"),
    "rabbitmqctl": Tool(
        look=(
            "list_queues list_users list_vhosts list_exchanges list_bindings list_connections "
            "status cluster_status report node_health_check"
        ),
        change=(
            "add_user delete_user set_permissions stop start_app stop_app reset purge_queue "
            "delete_queue add_vhost delete_vhost change_password"
        ),
    ),
    "adb": Tool(
        look="devices version logcat get-state get-serialno bugreport-list",
        change=(
            "install uninstall push pull reboot root remount connect disconnect kill-server start-server forward reverse"
        ),
        values="-s",
        verbs={"shell": Tool(runs=0, as_text=True, floor=Effect.READ)},
    ),
}
