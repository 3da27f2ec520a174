"""Databases: servers, dumps, key-value stores, migrations. Data; what their SQL does is read in ``sql.py``."""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks

_REDIS_LOOKS = (
    "get mget keys scan exists ttl pttl type strlen getrange hget hgetall hkeys hvals "
    "hlen hmget hexists hscan lrange llen "
    "lindex smembers scard sismember sscan zrange zrevrange zcard zscore zrank zscan "
    "zrangebyscore zcount info ping dbsize "
    "time lastsave object client-list xrange xlen xinfo pfcount getbit "
    "bitcount geopos dump echo randomkey "
    "command role"
)
_REDIS_CHANGES = (
    "set mset setex psetex setnx getset getdel append incr incrby decr decrby incrbyfloat "
    "del unlink expire expireat pexpire "
    "persist rename renamenx move copy hset hmset hsetnx hdel hincrby lpush rpush lpop "
    "rpop lset lrem ltrim linsert rpoplpush "
    "sadd srem spop smove sunionstore zadd zrem zincrby zremrangebyscore zremrangebyrank "
    "flushall flushdb bgsave save shutdown "
    "bgrewriteaof publish xadd xdel xtrim restore migrate eval evalsha pfadd setbit "
    "geoadd swapdb slaveof replicaof failover "
    "blpop brpop"
)
_MIGRATES = "up down upgrade downgrade migrate rollback reset create new redo drop load baseline repair clean init"

TOOLS: Mapping[str, Tool] = {
    "redis-cli": Tool(
        bare=Effect.UNKNOWN,
        values="-h -p -a -n -u -s --user --pass -r -i",
        looks="--bigkeys --memkeys --hotkeys --stat --latency --scan --latency-history",
        doubts="--eval --pipe --rdb",
        look=_REDIS_LOOKS + " " + _REDIS_LOOKS.upper(),
        change=_REDIS_CHANGES + " " + _REDIS_CHANGES.upper(),
        ignores="--check --diff --list --dry-run",
        verbs={
            **{
                verb: Tool(look="get GET", change="set rewrite resetstat SET REWRITE RESETSTAT")
                for verb in ("config", "CONFIG")
            },
            **{
                verb: Tool(
                    look="get len usage stats doctor latest history graph GET LEN USAGE STATS DOCTOR LATEST HISTORY",
                    change="reset purge RESET PURGE",
                )
                for verb in ("slowlog", "memory", "latency", "SLOWLOG", "MEMORY", "LATENCY")
            },
            **{
                verb: Tool(
                    look="list info id getname LIST INFO ID GETNAME", change="kill setname pause KILL SETNAME PAUSE no-evict"
                )
                for verb in ("client", "CLIENT")
            },
            **{verb: Tool(look="info nodes slots INFO NODES SLOTS") for verb in ("cluster", "CLUSTER")},
        },
    ),
    "pg_dump": looks(writes="-f --file", ignores="--list"),
    "pg_dumpall": looks(writes="-f --file"),
    "pg_restore": Tool(writes="-d --dbname -f --file", ignores="--list --check --diff"),
    "pg_ctl": Tool(
        look="status", change="start stop restart reload init initdb promote kill logrotate", values="-D -l -m -o -t"
    ),
    "pg_ctlcluster": changes(),
    "pg_lsclusters": looks(),
    "pg_createcluster": changes(),
    "pg_dropcluster": changes(),
    "pg_basebackup": changes(),
    "pg_config": looks(),
    "pg_controldata": looks(),
    "initdb": changes(),
    "createdb": changes(),
    "dropdb": changes(),
    "createuser": changes(),
    "dropuser": changes(),
    "vacuumdb": changes(),
    "reindexdb": changes(),
    "clusterdb": changes(),
    "pgbench": changes(),
    "mysqldump": looks(writes="-r --result-file -T --tab"),
    "mysqladmin": Tool(
        look="status ping version variables processlist extended-status",
        change="create drop shutdown flush-* reload refresh password kill start-* stop-*",
        values="-u -h -P -p",
    ),
    "mysqlshow": looks(),
    "mysqlimport": changes(),
    "mysqlcheck": Tool(),
    "mongodump": changes(),
    "mongorestore": changes(),
    "mongoexport": looks(writes="-o --out"),
    "mongoimport": changes(),
    "mongostat": looks(),
    "mongotop": looks(),
    "sqlite-utils": Tool(
        look="tables schema views rows indexes triggers",
        change=("insert upsert create-table drop-table transform vacuum add-column create-index enable-fts update convert"),
    ),
    "cqlsh": Tool(),
    "nodetool": Tool(
        look="status info ring tpstats describecluster netstats cfstats",
        change="repair cleanup drain decommission flush compact rebuild",
    ),
    "flyway": Tool(look="info validate", change="migrate clean repair baseline undo", long_with_one_dash=True),
    "liquibase": Tool(
        look="status validate history diff",
        change="update rollback drop-all tag changelog-sync clear-checksums generate-changelog",
        long_with_one_dash=True,
    ),
    "dbmate": Tool(look="status", change=_MIGRATES + " wait dump"),
    "goose": Tool(scan=True, look="status version validate", change=_MIGRATES + " up-to down-to up-by-one fix"),
    "migrate": Tool(
        scan=True,
        look="version",
        change="up down goto drop force create",
        values="-path -database -source",
        long_with_one_dash=True,
    ),
    "atlas": Tool(scan=True, look="inspect status lint validate diff", change="apply hash push clean set rm new"),
    "sequelize": Tool(
        look="db:migrate:status", change="db:migrate db:migrate:undo db:seed:all db:create db:drop model:generate init"
    ),
    "typeorm": Tool(
        look="migration:show", change="migration:run migration:revert migration:generate schema:sync schema:drop"
    ),
    "influx": Tool(scan=True, look="list ls query ping version", change="create delete write update setup backup restore"),
    "zkCli.sh": Tool(),
    "memcached-tool": looks(),
    "pgcli": Tool(),
    "litecli": Tool(),
    "usql": Tool(),
    "dbt": Tool(
        look="ls list debug docs-list",
        change="run build seed snapshot clean deps init retry run-operation",
        verbs={
            "docs": Tool(change="generate"),
            "source": Tool(look="freshness"),
            "compile": Tool(),
            "test": Tool(),
            "parse": Tool(),
        },
    ),
}
