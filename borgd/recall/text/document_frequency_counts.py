"""Stems and in how many of the counted contexts each was. Data only, no promise beyond that.

The contexts were made from nine public repositories with free licences (a web client, two web frameworks, an HTTP client
for phones, a phone app, a task queue, infrastructure modules, an alert router, an analytics page): a commit's message,
touched paths and a piece of its diff, or a passage of the documentation. Each line is a count and its stems; stems of
one repository only are left out. tests/perf/count_contexts.py makes this file.
"""

CONTEXTS = 6733
"""method: how many contexts were counted."""

STEMS = 355196
"""method: their distinct stems, summed over the contexts, with those left out."""

COUNTS = """
2901 the
2817 for
2218 and
2184 use
2106 test
1985 src
1921 add
1804 with
1785 com
1684 fix
1610 this
1596 main
1573 doc
1502 from
1404 type
1354 not
1347 name
1345 get
1330 updat
1329 https
1311 http
1258 app
1251 return
1247 string
1210 request
1208 new
1182 set
1119 that
1084 default
1066 github
1042 valu
1001 error
974 data
947 exampl
938 version
933 respons
897 import
883 you
877 api
869 readm
853 url
842 code
790 java
785 true
781 client
772 modul
770 can
756 creat
752 self
751 when
743 are
732 changelog
728 group
727 support
724 chang
718 remov
717 header rout
711 file
692 json
675 all
653 will
647 path
646 build
644 okhttp
638 user
627 map
624 config
614 content
613 list
611 key
608 connect
606 bodi requir
590 run
586 configur
585 async
574 except
571 assert
563 googl
562 option
559 messag
553 featur
547 time
544 call context
538 class
537 make
534 method
531 internal
528 fals
514 var
510 server
509 sampl
502 ani
501 node
498 provid
495 status
493 should
491 android
489 util
484 allow
483 into
481 log start
480 issu
478 core ek now
477 local
476 org
475 manag
474 onli
465 kotlin
464 func
454 result
453 have
452 null state
448 more
446 model task
444 def
439 implement
438 queri
436 aw
433 id
432 format
430 none worker
429 byte
426 releas
425 close
422 cluster
421 lib see
416 text
414 event packag
413 resourc
411 function has
407 compon
406 but
405 templat
404 sourc
402 index
401 depend write
396 err
395 need which
393 rst
392 check
386 applic els
385 case
384 document
381 send
378 enabl
377 router
375 handler label
372 handl
371 fail
370 includ okhttp3 stream
366 also is
362 base
361 equal
359 instanc
356 public
355 servic
348 ok
347 websit
338 const tri
333 await
330 let
329 match one
326 html
322 end
321 auth privat work
319 form
315 current
314 size web
311 encod limit timeout
310 to
309 init
308 custom some
307 page
303 variabl
300 nil
299 empti read without
298 python
296 int
295 common post
293 pass
291 gradl
290 debug instead
289 befor other toml
286 may
285 appli
284 param
283 max
282 where
281 alert output
279 block link then
277 follow val
276 struct your
275 mod was
273 filter
271 extract
270 contain
268 dispatch don
267 input tag www
266 socket
265 cach
264 view
263 must valid
261 pool
260 descript
259 extra secur
258 field
257 object
256 first
255 addit date
254 open receiv
251 delet replac
249 detail pars str
248 after bool out
247 pull
246 note yml
245 length
243 process unit
242 role specif upgrad yaml
239 count host refer
237 copi
236 static
235 improv
234 like
233 load mock network
231 backend bind
230 interfac next
228 builder impl metric
227 notifi
225 bar expect
224 argument each execut level project
223 move
222 bug
221 paramet
217 been proxi
213 exist
212 author
211 overrid style
210 action control iam librari render resolv throw
208 licens
207 commit number part rang
206 access
205 generat
204 address info on
203 integr tls
202 net
201 txt
200 languag
199 squareup
198 either item
197 compat same system
196 disabl
195 launch
194 line redirect rule silenc ssl these
192 permiss tabl
191 activ instal latest listen polici
190 feat here lock rais
189 protocol under
187 direct ensur logger middlewar platform warn
186 correct len logic
185 export notif
184 avail it session sync there
183 fmt fun tsx
181 found target
180 condit report script
179 workflow
178 color doe topic typo
177 accept comment
176 jvm miss req
175 command specifi
174 show
173 concurr extens imag via
171 basic environ setup
170 select
168 mode prometheus
167 about
166 button
165 final store
164 behavior decod foo properti
163 refactor transport
162 arg break differ
161 contribut how profil ref while window xml
160 deprec screen second
159 auto they titl
158 avoid previous
157 drop env failur ignor multipl record serv
156 advanc initi res root want
155 defin domain io navig pre raw share
154 both order
153 certif compos join usag writer
152 port prefix
151 layout
150 alway histori kts master
148 sinc width
146 arn than
145 layer no singl such
144 buffer complet convert top
143 apach becaus engin merg
142 clone multipart tree
141 non wait
140 authent databas http2 invalid verifi what
139 collect conf hostnam perform reject
138 androidx cooki futur modifi queue
137 attribut explicit own success
136 be catch retri
135 distribut of our take
134 registri simpl
133 news runtim trace
132 between inform iter kind save
131 array over thread
130 develop endpoint
129 chore head relat
128 css hello lint origin
127 by userguid
126 express find renam uri
125 benchmark dev team
124 full hook long unless void
123 automat icon would
122 boolean
121 interceptor rust two way
120 guid keep section still
119 plugin print todo utf
118 entri them
117 append doesn pleas repositori token
116 fallback git last lookup
115 caus consum just longer onc per put serial were
114 compar pytest statuscod step
113 oper password scheme unknown
112 back box compil convent sent unwrap
111 ident locat macro softwar through world
110 at flag member
109 blob column tool
108 continu kubernet squar
107 alreadi pub
106 attach directori min msg sure
105 durat edit help possibl sql whether
104 annot search
102 analyt lang
101 obtain readi split
100 chain done interest matcher mean
99 amazon dns mark real skip std track
98 androidtest cancel copyright govern react region separ
97 dir right strategi their
96 bin cmd display impli
95 assertequ callback deriv localhost mani schedul
94 background migrat reason tupl usernam
93 cert chart most redi secret
92 as due push regist switch
91 basi consol fill standard
90 account agre dict interval revert shutdown
89 anoth panic theme
88 given href optim row
87 asset devic law nav old publish warranti
86 attempt could expos in prevent uuid
85 better factori introduc job safe until
84 complianc patch reset small trust variant
83 space
82 addr bad broker click termin
81 ap constant defer global graph opt problem suit
80 align asyncio cfg div proper scope
79 height helper kwarg
78 actual cannot clean etc memori peer proto
77 consist extend prefer remot spec
76 channel curl reader reduc unus
75 crash effect even everi flow necessari svg
74 describ dure expand grace isinst recommend within
73 admin below errorf identifi prod summari trigger
72 charset demo png pod
71 browser determin forc golang hub left pin primari slice too uniqu
70 docker insert jar obj pageview wrap
69 abov exc exchang extern larg minimum monitor pattern
68 card classnam ext payload plain point println tcp
67 autosc django learn prepar schema spotless sub tmpl tostr upload well
66 branch countri expir hash inner simplifi webhook websocket written
65 materi nest rather review stat
64 abl cleanup delay echo element generic hyper made selector synchron utf8
63 around ask assum center deseri detect howev manual okio repeat
62 bootstrap capac cli dynam had inlin login never period realtim sort super
61 adapt ctx email encrypt frame ipv6 might sign signal ui
60 clear down linux otherw pad parent placement regex rest
59 exit look manifest reflect
58 disk ecosystem sse stabl stop total
57 against ascii bash compress go junit pend those ur
56 baselin forward indic lifecycl loop lower nativ occur repo sys
55 alloc artifact binari chunk coroutin creation duplic ec2 happen leak ls mayb media metadata partial pointer
55 snapshot strict suffix yarn
54 built charact cidr coverag enqueu isn noerror protobuf similar timezon
53 again assign broken classpath cover design general ip makefil my place poll prop pypi race rate recoveri stroke
52 fake fixtur handshak journey minut referr utc
51 agent cloud illeg maintain much program remain sever startswith syntax thank whi wrapper
50 caller canva chat fast feed fetch multi off screenshot shell travi
49 associ child configmap connectionpool download hashicorp medium pkg posit reus spot sum userdata vendor yet
48 brot combin comput fingerprint menu owner pair someth sprintf strip tweak zero
47 credenti entir filenam give less meta pragma sleep term thing
46 destin entiti framework hour mute normal plan present product suggest timestamp trail unix yield
45 best conflict dashboard day discuss enhanc escap exact finish insid intl overview statement statusok tab
45 unexpect unnecessari
44 communiti consid contributor do high httptest incorrect itself know kotlinx mix op postgresql short signatur
44 sink span tracker wrong
43 altern base64 bottom buf bump bundl contrib daemon deploy faq good maximum py refresh regular slack slash tgz
42 assertthat declar desir destroy enum everyth float guard headermap img inject instruct integ ipv4 mutabl regress
42 sdk stack stderr subscrib toggl vec visitor
41 across begin bit communic easier fire got grid keyword legend mq purpos question quot requestbodi respect
41 responsewrit scale submit up userid
40 architectur bugfix come compact confirm eb exec experiment gitignor low ping zone
39 abstract alia appropri boundari char children clarifi elk exclud immedi inspect marker partit pem pycon random
39 rfc sequenc side subgraph subject suppress undefin
38 autoscal db definit folder hcl individu month notic percent pip produc propag reserv respond runner sec structur
38 tpl volum
37 affect datetim easi elif feedback flush gradlew increas loader mention onclick persist recent union veri visit
37 wildcard
36 absolut anim anyth badg dep did instanti introduct kms modern namespac omitempti os perman prioriti pv6 recip
36 semant startup won
35 approach conftest constructor live popul preview reload rememb segment storag suppli three traceback trim
35 unmarsh
34 alpha cipher docstr dot executor gzip incom interrupt invok known least mime newrecord noth or permit pid pop
34 redund startdat succeed truncat word
33 abil abort comma concat crypto didn enddat enforc flex fulli inherit interact listof millisecond ns offici pickl
33 power stage transfer translat unlock viewmodel visibl
32 aggreg amount del deleg doubl jdk maven minor princip promiz reli restart year
31 abc aliv blank coalesc conn dump font glob handlerfunc hide hold if kube lead mainact margin num offset parti
31 prior relev seri site therefor third timer unreleas x86
30 androidmanifest attr border captur datastructur diff distinct dockerfil exceed few filesystem gossip internet
30 ktx later mail major markdown mem pager plus queryparam typic
29 ack acquir age alpn alt asserttru cookiejar cut dark decor eager fragment hint home idna marshal mysql parser
29 particular play resolut resp room turn usual white wsgi
28 ae bound ci cls discard dsl focus further gap inc incompat intend jetbrain lambda lazi light milli omit parallel
28 potenti recov regexp restor retent revers simpli substr transform unicod wiki workaround
27 blog cassandra complex conscrypt emit explain mongodb offlin preserv probabl progress repr sslcontext unauthor
27 virtual
26 adjust amazonaw aren awesom backward construct contenttyp critic dialog faster fn hidden indent isequalto javax
26 math offer pathnam person protect round sensit sometim stale tutori typeerror understand various zip
25 10px batch builtin chan checkout choos companion createdat defaultmessag demonstr enough famili formatt free
25 immut inputstream kt latenc logo lru mechan mit modular rewrit scroll sha1 shortcut shouldn sqs suspend think tl
25 traffic urlencod writehead yes
24 arc becom bytestr challeng cost ds exhaust experi foundat fs getattr held idea impact js justifi legaci mount
24 older printf silent special treat ud utm who
23 ar atom bom calcul callabl circl codec cpu dead foreach goal idx issuer leav negoti placehold quick rank recreat
23 repres seem stdout testimplement thus uc unsupport video wire
22 accident arm64 baz behind capit circleci counter cross dedic deflat deliv digest discord establish evalu fine
22 fork hard headervalu httpbin hybrid idl lite logfil matrix mkdoc mobil ni openapi panel pick practic readabl
22 reproduc seen stuff temporari tmp tunnel typeof welcom x64 xxx
21 acknowledg ad big checksum deliveri elaps eras exclus hand issuecom latin letter msgpack outsid percentag pixel
21 pro proj rs spawn symbol unavail week weight yx
20 alter am az broadcast ca composit cosmet dictionari earli fit fixup golangci http3 increment instrument
20 interpret isempti januari lost machin manu mutat nullabl openssl pi readthedoc retain retriev rw sha shut soft
20 svc transit watch
19 20px administr appear asynchron bg bridg care delimit disallow disconnect dropdown duplex el endswith favor
19 flaki fresh gc githubusercont gmail goroutin hex horizont ietf inclus iw liter lowercas multiprocess nano navbar
19 parametr postgr revok sha256 studio testclient uk uppercas valueerror verif yw
18 adopt ag along apk arbitrari assertionerror beta black bounc cachecontrol cast chrome confus connecttimeout
18 correspond delim demand desc effici emul enter evict fall filepath freez ft guidanc hasattr heartbeat httpmethod
18 httptransport incid independ iso jira loglevel mongo ms mutex night nu observ outgo overflow perf phrase propos
18 ps ptr pv4 rc reach realli responsebodi scan semaphor sock sslsocket testdata togeth unabl urllib3 wasn wg whole
18 wikipedia x509 zz
17 algorithm although appstat aslist bench benefit capabl cd clock concept constraint cor decompress deni effort ep
17 equival eventu fatal float64 fp gd ge getmessag gh goe guarante hasn indirect intent lot malform moment mt mypi
17 negat nz oauth outlin pipelin playground prefetch rail readtimeout revis shape sid singleton situat surfac tail
17 transpar tsr ubuntu uint64 unreach we wheel whitespac
16 approv boot calendar certain ch comparison da deadlin detach disposit dont dw eof everywher fx go1 hang honor
16 http2connection httpconnect isol ja keepal kill linter logout mi minim mj mkdir mr noop noqa onclos openid pe
16 pong pretti primit qg qr restrict rev rsa rx satisfi sig slow spell stdlib subclass tell ti today twice unsaf ut
16 vi vm vulner west win32 xa zl zs
15 anchor arch autom awar away bot bw canon castl categori checkbox ciphersuit cn corrupt creator dd deep delta
15 dist dom ed episod ever ex fatalf ff gen grammar grant helm hit http1 ih implicit incomplet int64 intermedi
15 isnotempti javascript jwt keyerror ksp mac mainten mask mw newlin nor numer oh peopl preced prev proceed qn
15 qualifi qy rawqueri reliabl repli rl robolectr rocket slight soon sq submodul subsequ suffici temp tolowercas
15 toward unlik urlpars valueof wj wr x1b x20 xb
14 accord answer anymor basicauth bsd central chip ck conduct conveni cpython cr decid descriptor earlier easili
14 ecdh ef eg envvar et favicon figur flake8 flexibl footer fprintf fq gethead geturl getvalu gpu great greater
14 groupid grpc hi highlight ho httperror ik insensit ix john junit4 kafka kernel lo mz na nd newer nop od often
14 overhead press qx red regard regardless regener rj roll runlock runtest scenario sens shadow shown signific
14 solut systemd timedelta tm tolist trunk upper upstream v10 vj wn x00 x06 xa1 xff xmlns yd
13 30s ab ac achiev agp ai al amd64 an archiv arm arrow august ay backgroundcolor basepath bounci bq bring bucket
13 bytestream cat clariti convers crontab cycl dedup df discov draft drain ecdsa encourag es eventnam fns fy
13 gateway gmt godoc grep gs hashcod headernam healthi helloworld ib imageurl inconsist insight int32 invoc jo jr
13 kit ko ks loginform lq mc md microsoft modif multiplex nice oa openjdk outer overlap overwrit oz paste pos
13 proguard pw quiet qw referenc represent rlock robust rpc rq sd sender solo solv ss stabil stay stretchr subtl
13 talk testifi themselv though tk twitter unifi unittest uw ux v2 v3 vd vl writetimeout wt wz x03 x16 x1a x1c x2a
13 x2c x37 x55 x79 x7b x83 x8b x98 xbc xc3 xc9 xe4 xf9 xfd xn yz zp zstd
12 af assembl ba board bouncycastl buildsrc cg checker choic classic cleaner clientip codecov collector consider
12 coordin countdown coupl cu darwin dedupl discoveri dismiss dp dt east ec emb enumer eslint ev eventtyp ew excel
12 exp firefox five flake flat fz gate gcm gms gopkg gy hardcod hc holder hover hr hw hz indexof inf insecur inspir
12 intro ioutil jk jpg k7 kb kg ky l3 late lr mattn measur methodnotallow mx neither ng nm nn np nr oc octet oj
12 organiz parsefilt particip pipe pn pu q0 qk qo qp rc1 realm replay rz sa savedst setter td throughput tidi tn
12 toler took touch ua verbos vertic wu xz yc yi yup yyyi zn zw
11 a6 aj ak anywher aria articl assertfals attributeerror b9 behav bi bk blue brand busi candid cap carri cc
11 collaps comprehens contact credit cryptographi cs david decemb dg diagram difficult doesnt dummi dyn ea edg ee
11 ei ej embed emptylist eq er eu expiri ey fo forgot fulfil fullpath georg grow guidelin haven health higher hope
11 ht httpon idiomat ig ij importerror infinit involv iy javadoc jg ju ka kj knowledg ku la lateinit launcher lt
11 market md5 mg mismatch mk mn money mozilla nl notabl notequ novemb npn nx ny oo optin oq ow pack ph pm prototyp
11 pure py3 qc quit rare readal resiz retrofit rk rm rn ro rotat say scrollbar sed semver servehttp shall sigterm
11 smoke solid sqlite stamp statusbadrequest stringifi taken telemetri templ test2 throttl tip transact ts tw typ
11 uint32 unmarshal unprocess unstabl usr uv v21 vari vk vq vr vz wd weekday wish wp writestr ww xk xlarg xp xy yt
11 yy zm zo
10 1px 40px aa absolutepath adher alon appengin area argv au ax backport balanc baseexcept believ bo bp bs bx
10 bypass bz campaign colon containerd cursor cw cy dataset de deadlock deal depth desktop disrupt doctyp elast
10 english ez fa fe februari fr funcmap gaug getbynam gitter gk gopath green gx hack happi hm hv ic im infer
10 instant isort jan jb jt kd ktlint kw lc le lh livedata ll lz mistak mp mux newli npm nv ob obsolet oe onlin
10 openconnect ou ov overal pk plural pq pr px qd qe qs radius rb recurs redact rel revamp safeti sanit scaffold
10 seper sh shield standalon statist sudo swap ta test1 testtag textfield thought throughout toint toolchain tr
10 trailer travers tv typescript um uncaught uncompress unfortun unhandl uq urlparam userinfo value1 value2 visual
10 vp vs vw wi wk wo workload workspac xh xs xv yg yk yn yourself yq ys
9 accessor afterward ahead aid alex ao aosp april autodetect autogener av axi bb bd bh bl broke bt chacha20
9 checklist chines clearer cloudflar co codebas consult couldn debugg di dimens dj dl drag dv dy e5 ede editor
9 emoji endif everyon explor f3 far fg filterbar flatten forbid forbidden friend fu functool gr gradient gz
9 hasprefix heap hj i4 ii il instanceof int8 internation irc isatti itoa iv jd je jsx jw keepachangelog keyfil kh
9 ki kl kz lack lb lf listenandserv lj lx ma magic march matter ml mm multipartform mutablelistof mutablemap nat
9 ne nh notfound obvious ot ox oy p3 pa pane pd pf picker prof promot prs pt purg pv qa qi quic qv reg ret
9 revisiontim rich rollback rootproject rp ry sb sc seal secondari setresponsecod setuptool simultan smaller
9 snippet someon somewher speed srv st stress strong subdomain suitabl suppos sw sz t6 tap tc th thumb tighten
9 tolong trip trunc ty uj unset usenavig uz violat w8 walk whose worri worth xq xr xu ym yo yp yr z0 zc zh zq zx
8 0xff 3rd a1 addeventlisten alb ambigu annoy anyway arriv asyncrequest authtyp averag backoff basenam bf bm
8 bodystream bold book builddir ce cell certfil cgi cid classifi col cq cron crt danger datatyp dateformat dc
8 debian defaultvalu dequ der detector die distributionurl divers dq driver dst dual eas elem ellipsi elsewher eo
8 escal expens face facilit fd fi frequent frontend garbag getattribut getinst gettim gm gn gorilla gp gq guess h8
8 hashmap he hierarchi homepag hp hq hy idn ie interpol iq iz java8 jl jq jv jz k1 ke kept key1 kk leftov lifetim
8 littl ljava lw m4 manner maxag maxsiz meant mib middl mind misc motiv n9 newurl newwrit nio nois nw og ol orm
8 overlay pagin pb pc perfect perm phantom phone pie pl plaintext po posix preload prepend py2 pyproject q1 q2 qb
8 qj ql qu qux qz re roadmap ru rwmutex scrollabl se serviceaccount sethead sf shift simpler sj slot sm sms so
8 squash stackoverflow su subproject sx syn tempfil testopt tf tg threshold timeouterror trimspac trivial tx tz ue
8 uh unescap unhealthi uo upcom urlpath uy vh viewbox vo vzd wa wall warm whenev wherea wide withtyp wm wouldn wq
8 wv xc xm xw yl zg zi zlib zu
7 a0 a2 a8 aar act affin aggress announc anyon aq audienc autocomplet awkward bare bc bearer behalf bigint borrow
7 br broad brows bu bufio bv caught cf checkpoint checksumsha1 classmethod clip cold compani complic concaten
7 concern conciz consequ crawler csv ct cv cx cz dan datasourc dec decis dependson deprecationwarn dest
7 determinist dial dirnam divid dmitri dr dx editorconfig eh emptyset encount errormessag especi estim expans
7 externalurl f0 fc fewer fff fh filemod fk flexbox float32 foreground foreign formatd fv gather getproperti gf gg
7 gi gist goo gw h5 hb hf hh hk hx i9 ico improp inact indexerror intact interfer interop ira isequ jdk8 jf jsse
7 jvmfield jx k9 kc kf kv l4 languageset lightweight listitem ln lose love lu ly m1 m9 maco mirror mjs modal msgs
7 msvc multiplatform n2 nb nc near newencod nick notnil nt o0 om opaqu outbound outdat p2 pdb pep pg piec pj
7 prematur prep privaci qh qq querystr r2 r4 ra refin reintroduc replic requesthead resend restructur resultset
7 retryabl rf rg rune rv said samesit san seek sep septemb servefil setof ship showcas si sibl simul sni srcdir
7 strconv stricter subscript t1 tablet testcas textarea theori threadpool tid titlelink tld tom tq troubleshoot
7 uid unclos unlink unregist unrel unspecifi us v1 v4 vf vnd vt vv vy w0 w2 went whitelist wip wl writabl ws xd xe
7 xf xt xyz y4 y7 yb youtub yv z2 zd zf zk zt zy
6 100l 15s 4xx acceler accur adb advantag agreement alphabet appar appl aspect assigne assumpt attack aug banner
6 base64decode bill bj brian brief buildconfig c0 c5 caution caveat cb circular cla collis componentact con confid
6 connector consumpt coroutinecontext coroutinescop cp ctrl cve cwd debugimplement decreas deepequ dh dhs diagnost
6 disclaim dn downstream drive dz e0 easiest elig en eol errcheck exerc explan expr f9 fact fat fb feel fj fold
6 foobar forev forget formfield forminput forum freebsd g0 g1 g7 ga1 getenv getsess getter gl gofmt gone grain gt
6 guava h6 ha hg histogram hot i3 i5 i8 iana inbound intrins investig isarray iso8601 isset iszero iu javavers jc
6 ji jj josu juli jun key2 km kn kq land larger legal lg linear lk lkotlin loss lp ls1 m6 man mapof martin
6 maxdepth mh micro minus mis mu multipli myapp n6 narrow ncz newread nf nonexist norepli nq nvb o5 oauth2 oi ongo
6 onto openjss orient p1 p9 past pathseg paus peek pkcs8 pki pp pusher pwd pz q3 qt queu quorum r8 reachabl recogn
6 recv recycl relax remap reorgan rep requestdata rework robot s1 s7 sdkmanag sentenc serializ setitem setstatus
6 settimeout sidebar sk slider smart sn social spread sr sslstream stall studi sv teardown testutil tick tlh
6 tomediatyp tp tu twp u2 u4 u8 uf ug uint16 ul ultim unaccept unencrypt unsign upon userag uu val1 vast ve vector
6 vet vg victor vx weak wh windowupd withcontext wll wont workstat wth xcw xg xi xl xo y0 y2 ya ye yf yh yu yw9 z6
6 zr
5 0rc1 0x 0x20 10s 1st 1xx 200px 302s 4px 5xx a4 a5 abcd absent adam addal af8 ah alias alla alpha03 augment b2 b7
5 backpressur bandwidth bgkqhki bn boilerpl bracket brotlipi bulk bunch bytearray c7 cascad checknotnul china
5 chosen christoph clarif classlist claus cm codenam coerc coil collabor comfort commerci concret contextlib
5 contract cool corner cov createus cryptograph d0 d4 d5 daili damag daniel datacent datepick davecgh degrad
5 destruct differenti dispos distinguish dk domainnam downsid dqyj du dustin e9 eee encapsul envelop ephemer
5 equalvalu ergonom essenti est expiresat exponenti f8 facebook failov fair familiar fault feb fl floor fm
5 fzc3dvcm g8 g9 g9w0 ga getbytyp getdefault getnam getpath gettyp gid golint gotcha guest handleerror hasdata
5 hashfil hd highest histor hn hop human i0 i18n ia ib3 icu ideal idempot ihvc iljava importlib importpath imposs
5 inflat infrastructur ini initialvalu insuffici invert ir j1 j6 j7 jn jul june jy k4 kapt kr kx l9 label1 li
5 linkedhashmap lm localstorag lowest lv m0 m2 m3 m8 mar maxheight maxwidth meet membership merchant million
5 misconfigur misspel mmm mo mockserv mutablelist mv n3 n8 newdecod newserv nginx nicknam nj nk nov o1 o2 o3 o4 o7
5 oct octob onward orig oserror overload overridden pain parameter perhap phase pingtask plenti predict prefac
5 presenc principl proc profileinstal prone python3 r0 ram ran rand rc01 readlin rebuild recipi recompil reconnect
5 reformat renderlink requestbuild resum reusabl rfc7231 rh rid risk roomid rr sad searchfield semicolon sentri
5 setattr setdefault sg shallow simon simplest slam snake sourceset sp spew spring stacktrac stand stringvalu
5 stuck subset substanti supervisor surround surviv synonym systemctl tar te teach tempdir temporarili testrequest
5 thu timelin timeoutexcept tj toboolean tolow toset tracer tradit tricki tt u3 u7 uint uint8 un unacknowledg
5 unchang uncheck uninstal universal unlimit unneed unquot untrust unzip upsert useless va versa virginia vn vu wb
5 wc webkit weird whatwg wherev whichev writebyt ww5 xhtml xss xx y3 y8 ydvr0 yellow yj z3 zv
4 0x7 2nd 3aissue 80px a7 aaa actor addrout advic adviz aissu alexand almost among ancestor ansi apierror apr apt
4 asc assur autodoc autoincr avatar b3 b8 backtick backup banana base64encode baseurl batteri bdist beforeeach
4 besid bio brain breakpoint bubbl c2 c3 c4 cacheabl cas cdn chad chanc charl chmod chr cj cjs cl codeql colin
4 compilesdk complaint conform consolid consul containsexact converg craig createel crossinlin crucial d1 d2 death
4 decim deliber descend dirti distanc dm doh e3 elimin encodetostr errmsg errno espresso ethan europ eventrecord
4 evolv exploit factor findbug flip florian former ftp fw getitem gj go111module goimport gopher govers grab
4 grammat gray gv h2 h3 halfway handi harass hardwar harm henc herebi hey hhc homebrew httprequest httprespons
4 huge hunter hyphen i2 id5 inadvert inappropri incorpor ingest inputvalu int16 intersect introspect iota ipython
4 ist itertool jet jh jm jp k0 k3 kbd kdoc kei keylog keypair kick kotlinlang kp l0 l6 landroidx lar latter lazili
4 ld lean levelnam leverag likelihood linkifi logev logf luca lvl magenta mailto maker malloc mandatori
4 marshaljson mb me meaning memoiz met mf mii mileston mitig monday myproxi n0 natur necessarili neglig
4 networkrequest newbuff newsourc newvalu node1 notcontain notnul notset nth nvbamt nvhq4 o1p o9 occasion ocurr
4 opencontain opposit oracl oss outlook overwritten p5 pandroid pat pay physic pixel5 plug portion postcss ppc64
4 precis prerequisit preset prettier priorit prompt protoc prove proven prune qualiti queryselectoral randomuuid
4 ratelimit ratio rational readdir readon readtext realiz reconcil refus registr relay remedi rephras rerun
4 responsehead reveal revisit rgba rsplit rt runlisten runonc runqueri s0 schmidt seed sendmessag serif serious
4 setattribut setenv simplic simplif skill somehow somewhat sonatyp sound sourcecompat spin standardcharset
4 straightforward stub subprocess subtitl suffer sun supersed swallow symlink t5 t9 tablenam targetsdk tb tbodi
4 technic temporaryfold tho ticket tild tini tlsconfig tmpdir tod train u0 uber udp unbound uncondit undo unexport
4 unixnano unpack unrecogn untyp usabl user1 v0 v12 v8 val2 verb vic vice w1 w3 wake weren whatev whc wild
4 workingdirectori workshop x1 y6 za zb zj zsh zstandard
"""
