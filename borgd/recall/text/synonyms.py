"""Engineering words that stand for each other: a lesson says "retry", the work says "backoff". General words only.

Promises: a word that is not listed has no synonym. Must not hold names of products that a lesson could be about, nor
anything learned from a labelled set: the list is written by hand, one group a line.
"""

from __future__ import annotations

from functools import cache

from borgd.recall.text.spelling import term

GROUPS = """
retry retries reattempt resend backoff jitter attempt
timeout deadline expire expiry hang
delete remove drop destroy purge erase truncate
create insert add new make
update overwrite modify edit change alter
cache memoize memo lru redis memcached invalidate
lock mutex semaphore deadlock latch
thread goroutine coroutine task worker
concurrent parallel simultaneous race
queue broker kafka rabbitmq sqs topic nats pubsub
publish produce emit enqueue producer dispatch
consume consumer subscribe subscriber dequeue listener
database db postgres postgresql mysql sqlite sql
row record tuple entry
column field attribute property
index btree gin reindex
migration migrate alembic flyway liquibase ddl
schema ddl
transaction commit rollback atomic
query select statement
null none nil undefined missing empty
float double decimal bigdecimal numeric
money amount price currency cents fee total invoice payment
round rounding remainder scale
timezone tz utc zone dst daylight
timestamp datetime instant clock
schedule cron scheduler nightly
log logger logging logged print
metric counter gauge histogram prometheus
label tag dimension
alert alerting pager page oncall
trace span tracing traceparent opentelemetry otel
dashboard grafana chart
error exception failure fault
catch except rescue swallow suppress
panic unwrap expect crash abort
stacktrace traceback backtrace
endpoint route handler controller
request http call fetch
client sdk caller
login signin authentication auth
authorization permission owner role privilege acl
session cookie
token jwt bearer
password secret credential passphrase apikey
encrypt encryption cipher decrypt aes
hash digest checksum sha256 md5 fingerprint
signature sign verify hmac
redirect location
injection escape sanitize quote
template jinja jinja2 handlebars mustache
csv spreadsheet xlsx excel
export download report
import ingest upload load
parse parser decode deserialize
serialize encode marshal dump
config configuration setting option
pickle unsafe deserialize
regex regexp pattern
mock stub patch fake monkeypatch spy
sleep wait delay poll
flaky intermittent nondeterministic
fixture setup teardown
snapshot golden
deploy rollout release ship
pod container replica instance node
kubernetes k8s helm
terraform tf
firewall ingress cidr
probe liveness readiness health healthz
sigterm shutdown terminate stop kill drain
memory ram heap oom
pool pooling pooler
replica secondary follower standby
primary leader master
failover switchover
lease heartbeat fencing
backup restore archive
compress compression gzip zstd
pagination paging cursor offset page
sort order ordering
list array collection
loop iterate each
batch chunk bulk
backfill reprocess replay
filter where predicate
dependency package library crate module
license gpl mit apache
version pin lockfile
color hex palette theme
font glyph typeface
modal dialog drawer popover overlay
focus keyboard tab accessibility a11y aria
translate i18n locale plural language
email mail smtp
bounce suppression unsubscribe
attacker hostile malicious crafted untrusted
tenant organization org workspace
duplicate twice double idempotent idempotency dedupe
flag toggle feature switch
default fallback
environment env variable
script shell bash
pipeline ci build workflow
refactor rename move reformat
performance latency slow speed p99 percentile
benchmark bench mean average
plan explain analyze
lag delay behind
partition shard
protobuf proto grpc
deprecate sunset obsolete
phone mobile android ios
offline sync
traversal path directory
zip tar archive
throttle ratelimit rate limit quota
stale outdated expired old
score rank ranking relevance
threshold cutoff limit
classifier model
search lookup find
analyzer tokenizer stemmer
swap switch cutover
gpu cuda vram
train training epoch finetune
dataset sample corpus
leak leakage
embedding vector
seed random deterministic reproducible
certificate cert tls ssl x509
dns hostname resolver
proxy gateway loadbalancer lb
websocket socket connection
cors origin
csrf xss
graphql resolver
firmware flash bootloader
sensor reading measurement
battery power
interrupt isr
unit units meter celsius
map tile layer
coordinate latitude longitude
image photo thumbnail picture
video frame
audio sample
shipment parcel delivery
inventory stock warehouse
order purchase checkout cart
refund chargeback reversal
tax vat
discount coupon promotion
subscription plan renewal
appointment booking reservation
patient person customer user
consent gdpr privacy pii
retention purge expire
anonymize redact mask scrub
webhook callback
polling poll
overflow underflow wrap
integer int int32 int64
utf8 unicode encoding charset
locale language
symlink link
permission chmod mode
cron timer
docker image container
rollback revert undo
canary gradual staged
quorum consensus raft
snapshot checkpoint
memory allocation alloc
buffer flush
stream chunk
bottleneck hotspot
n1 lazy eager prefetch
foreign reference constraint
unique distinct duplicate
enum variant
optional nullable
immutable frozen const
singleton global
animation transition
responsive breakpoint
placeholder hint
validate validation check
"""


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """For each listed stem, the other stems of its groups."""
    found: dict[str, set[str]] = {}
    for line in GROUPS.strip().splitlines():
        group = {term(word) for word in line.split()}
        for one in group:
            found.setdefault(one, set()).update(group - {one})
    return {one: frozenset(others) for one, others in found.items()}
