"""Stems and in how many of the counted contexts each was. Data only, no promise beyond that.

The contexts were made from the commits of nine public repositories with free licences (a web client, two web frameworks, an
HTTP client for phones, a phone app, a task queue, infrastructure modules, an alert router, an analytics page): message,
touched paths and a piece of the diff. Each line is a count and its stems; stems of one repository only are left out.
"""

CONTEXTS = 4050
"""How many contexts were counted."""

STEMS = 195666
"""Their distinct stems, summed over the contexts, with those left out below."""

COUNTS = """
1617 for
1604 the
1366 test
1278 src
1205 add
1186 and
1155 use
1080 com
1040 main
980 fix
943 with
898 from
853 return
837 name
833 get
818 type
816 updat
809 this
763 not
760 app
748 string
743 http
723 https
669 import
668 new set
665 request
650 error
641 valu
614 doc
605 default
604 github
559 data
549 that
530 self
523 respons
514 java
506 url
503 version
498 true
490 exampl
463 readm
456 remov
454 code
441 api
438 assert
434 json
430 client
413 group when
402 header
393 file
387 okhttp
386 creat
383 build
382 modul
376 chang
373 changelog
367 fals
365 googl
364 you
361 rout
360 except map
359 key
355 bodi support
351 connect run
348 all
346 path
345 async
344 are can
342 var
341 config
337 list sampl
330 none
319 content func
317 def
315 option
314 user
311 context
310 time
309 internal
308 requir
307 will
304 els
295 call util
294 server
291 ani err
289 class
288 method
284 log messag org
283 id worker
282 core
276 kotlin local status
275 byte
273 issu
272 make
271 android manag
270 queri state
267 ek start
266 featur
265 configur
263 model
261 onli
258 should
257 equal
256 close event null
252 index into task
250 okhttp3
249 format
242 aw check write
241 allow
239 lib
238 is
233 packag text
232 depend result
229 implement node
227 send
226 stream
224 public
223 provid
222 cluster
221 label
219 const more
218 now websit
217 compon
216 case have templat
215 fail
214 nil
213 function gin
212 base tri
211 int
209 await handler sourc
208 form init privat
207 releas
206 but has
205 val
204 let
203 to
201 handl
197 resourc
196 toml
194 size
193 current gradl
192 see
189 auth timeout
187 link
186 max some
184 servic
182 encod
181 count
180 includ match param
179 extract variabl
178 page
177 applic pars
175 enabl
173 descript router
172 need
170 instanc
169 pass
168 filter
165 empti html
164 mod web which
163 post
162 dispatch document instead unit yaml
161 feat
160 limit static view
159 debug str
157 appli end struct
156 host read yml
153 field mock
152 ok was
151 alert contain
150 cach first tag
149 befor len must socket
148 input length one replac
147 common extra move work
145 copi
144 logger throw without
143 fun www
142 expect
141 date on then
140 each
139 arg notifi open
138 output valid
137 bar pool
136 bool delet interfac item may
135 also custom
134 after squareup
133 load
132 action
131 fmt metric out
129 pull
128 bind next protocol rang
127 execut
126 follow
125 impl number
124 don
123 object project
122 overrid warn
121 other receiv typo
120 author backend comment part secur xml
119 info paramet your
118 disabl ignor render role
117 commit concurr proxi res where
116 screen select
115 correct
114 argument improv specif under
113 activ lock note refactor session
112 block final net platform rais silenc
111 redirect style
110 detail head req
109 addit level licens logic network setup txt writer
108 generat process
107 launch
106 either imag integr sync tabl void workflow
105 bug builder control join like refer resolv topic
104 address found iter rst
103 listen
102 doe permiss record
101 foo io tls
100 export latest merg no
99 avail compos env languag python tsx
98 navig properti second
96 apach decod engin line root rule script
95 condit exist
94 drop kts miss
93 about buffer conf here report save
92 androidx button team
91 prometheus
90 avoid break mode specifi
89 accept share show system target upgrad while window
88 boolean compat ensur instal middlewar ssl
87 of runtim there
86 http2 origin polici registri
85 differ news
84 profil
83 command password sinc statuscod wait
82 assertequ clone extens initi invalid lint prefix ref same store
81 color distribut hostnam ioexcept macro multipart width
80 hook modifi order plugin port raw serv top
79 alreadi append auto been chore environ express reject reset transport
78 basic box domain it master non repositori todo
77 access array at direct multipl titl
76 be becaus deprec kind layer pre put squar than usag
75 by collect databas want
74 back cooki dict interceptor long retri take
73 attribut certif cmd icon over pytest
72 advanc both catch convert css onc via
71 benchmark defin doesn uri utf
70 cfg verifi
69 between bin explicit own trace
68 compil edit full futur in jvm lang relat they unless
67 find msg notif print singl
66 complet failur just perform pub rust thread
65 lookup mark matcher scheme unus unwrap
64 androidtest copyright last layout librari revert search split success these
63 attach bad column convent errorf kwarg previous std
62 account dir height isinst plain skip softwar step two usernam
61 arn as devic keep min real
60 addr callback hello how job opt patch readi uuid
59 cert clean flag oper push switch token
58 alway chain compar govern renam
57 endpoint entri impli nav panic react sql until warranti
56 analyt background cleanup consum continu obtain queue reason still them
55 basi blob click locat scope through track tree
54 agre authent cannot durat exit interest parent row section serial
53 dns exc git given peer way wrap
52 dev fallback inner possibl reader regist sse such what
51 develop display interval law publish sent stop tool
50 defer deriv done per secret sure tupl
49 admin autosc better cancel chart complianc expand safe theme unknown userguid would
48 caus directori dure effect global guid migrat schedul simpl were
47 ident prod whether
46 hash junit prepar termin too
45 adapt constant demo down element frame insert localhost loop png repeat right slice world
44 annot due expir redi reduc remot separ super
43 asset automat mayb our pleas println
42 everi href mani most old prevent proper stat within
41 clear consol docker echo helper kubernet longer optim pin sleep their
40 actual behavior div even forc hub inform otherwis pattern place small tmpl trust variant
39 align artifact cli expos help jar maven pad realtim regex snapshot sys trigger wrapper
38 alloc around attempt card ecosystem factori flow inlin login manual obj space tostr
37 amazon canva channel classnam ext fixtur httptest medium memori payload sort spotless ui yield
36 buf compact ctx minut nest never review synchron userdata websocket
35 assum autoscal baselin charset chunk classpath consist coverag day detect determin duplic etc extend manifest
35 pageview primari problem recoveri sprintf thing travi tweak
34 anoth ascii delay dynam experiment filenam region repo schema selector simplifi stack sub tcp userid
33 broken broker curl enqueu mean member monitor necessari pypi recommend reflect screenshot svg uniqu unix
32 attr capac catalog connectionpool dep exchang go happen kotlinx noerror referr shutdown stderr suffix timezon
31 abort bit branch chat confirm could disk django extern feed fetch float illeg lifecycl mention newrecord okio
31 pair rememb reus side strategi yet
30 asserttru bottom contrib desir elif email fill headermap introduc larg left period pointer pop posit pragma prop
30 spec strip trail transfer utc
29 again ap browser concat conftest contribut credenti deseri destin dump golang got isn lower margin onclick scale
29 sink standard tab up upload
28 abl bootstrap char combin coroutin guard handshak histori hour makefil meta my normal owner partial point sum
28 timestamp total utf8 well
27 caller center charact child enum exclud fingerprint general generic gradlew graph indic intl less look media
27 menu millisecond multi newrequest omitempti partit postgresql proto protobuf remain strict subject term
27 unnecessari
26 absolut assertthat below built cover do entiti exec forward grid ipv6 poll prefer quot random rate revers sign
26 suit syntax unexpect
25 brot compress consid creation datetim encrypt flush gitignor incorrect journey listof made maximum nativ occur
25 or ping refresh responsewrit rest runner sdk span spot suppress those translat unmarsh webhook wrong zero
24 acquir agent altern behaviour binari border bundl cls describ flaki fn formatt linux might minor off op os
24 preview rather redund short signatur startswith volum zone
23 abil associ bound builtin conflict escap fake had img ip marshal metadata pend pod present propag scroll signal
23 storag suggest tracker trim union unsupport vendor visitor
22 abstract adjust aliv ask coalesc dashboard del destroy enter few fixup itself jetbrain known later maintain
22 materi math noth num prioriti product statement structur veri year
21 badg cidr distinct faq give gzip handlerfunc identifi insid leav marker ni parser persist pip pkg program realli
21 respond sec site someth stabl toggl undefin unreleas
20 against amazonaw bytestr comma comput deleg did docstr download dsl enhanc executor good grace hide immedi inset
20 isequalto learn loader lot mix produc promis recip regular resolut slash three unabl
19 abov arc base64 children clarifi cloud constructor deep deploy dialog eb establish finish fire font framework
19 goroutin hasattr hold howev increment javax lru mime mysql nano offlin percent pixel protect recent regexp
19 testclient thank think timer truncat unicod ur visibl workaround written x64
18 alia alt appropri chan checkout critic daemon dead definit dockerfil doubl easier emit exact famili feedback
18 flex foreach if increas integ lambda lazi lead ls minimum particular princip printf repr restor seen sever
18 similar stage stdout subscrib summari suspend visit writehead x86
17 beta boundari bump construct contenttyp crypto declar design discard ds fast filesystem getattr golangci
17 instanti internet interrupt introduct jdk junit4 notic overflow panel pickl power probabl pv6 py reli reserv
17 resp segment special submit suppli svc syn temporari testdata tmp unlock urlencod word
16 abc awesom best blank checksum complex conn countdown crash diff dot earli elaps focus fragment gap headervalu
16 hex hidden invok ipv4 know leak least low mem milli much mute ns parallel pem postgr purpos race respect retent
16 rev room semant solut testimplement traceback unauthor utm whi
15 across aslist atom baz cipher codec communiti contributor didn disallow easi everyth fatal fatalf further glob
15 idea inc ini inject liter month offset optin overview pid recov rfc sequenc sha1 shouldn sid sslcontext startup
15 unavail week won x1b zip
14 affect androidmanifest architectur assertfals assign care clientip come cross datastructur decor delimit deni
14 desc digest disconnect draw entir exclus fine goal high http2connection http3 importerror indent instruct iso
14 issuer keyerror lost matrix mobil mongodb mutabl namespac nullabl permit placement play regress repli round
14 satisfi seem sessionid spawn stale therefor third though tox tsr twice typeof understand wasn weight whitespac
14 wiki x0e x1a x1c x21 xa1 xcc xce xdb xe0 xf6 xxx
13 ack age anim approach bash batch board bugfix calcul callabl captur circleci composit conscrypt cpu dark deflat
13 evalu exceed favicon filepath folder fresh fs fulli home idx incom inspect issuecom javadoc keepal mail mypi
13 negat offici overlap pathnam perman placehold quiet radius readtimeout reproduc setitem succeed uint64 vector
13 vertic virtual
12 amount anyth appstat assertionerror baseexcept basepath becom blog bom bring chip clippi clock communic
12 companion confus cookiejar correspond cosmet createdat db dedic defaultmessag discuss eof fprintf hard held
12 httpconnect httpmethod idl incid int64 keyword kt major modern ms negoti newlin notfound outer parametr parti
12 person pong preserv prior rail readabl realm relev restart shell slight spell sslsocket stuff substr surfac turn
12 typeerror typic ubuntu updatedat verif whole wildcard writetimeout x509 yes
11 accident ae alpn amd64 ar arm64 az backgroundcolor basicauth big black borrow categori central ci comparison
11 connecttimeout cost cut doesnt dont eager enforc equival flake8 flatten free grammar holder idna immut inconsist
11 inherit inputstream instanceof instrument int32 issuetrack kube light logo mainten mask mutex offer omit onclos
11 pager pi pick plan potenti pro progress ps readthedoc regard reload responsebodi rocket rs runtest seal sender
11 sig simpli singleton strconv stringifi temp tl tolist unmarshal unsaf usual welcom wheel
10 agp anymor arbitrari badrequest bold broadcast bucket certain col contentlength creator drain effici eg enough
10 forgot fr githubusercont health hierarchi horizont http1 imageurl implicit incompat indexof jpg latenc linter
10 lite live mit moment mutat noop obvious often openssl phrase plus pretti proc question quick rc recreat recurs
10 referenc regardless relativepath represent rotat shape shortcut smtp soft sq ss statusbadrequest sudo testutil
10 textfield transform transpar treat typ ud urlpars video we wip
9 20px apk appear asynchron attributeerror awar backward begin blue ca campaign cap certfil challeng constraint
9 conveni coordin counter deal delta detach dictionari easili editor emb es experi faster freez getitem getvalu
9 gopkg grep gs haven indirect intend isempti js keyfil lateinit listenandserv localstorag magic markdown measur
9 multipartform navbar night oauth openid outsid overwrit perf plural popul practic queryparam red repres restrict
9 ret revis san semaphor sensit sha256 shadow sometim statist stdlib swap tablet teardown tidi timedelta togeth
9 tolowercas tunnel tutori uint32 unittest valueerror various visual white win32 xmlns
8 ab accessor ad alpha anyway aosp bearer bench bridg canon checker chrome circl codecov collaps deliveri dismiss
8 disposit dist distributionurl earlier emptylist encount eras excel exhaust explain fact fall figur fit flake
8 flat float64 forbid fp gateway gaug gc getbynam getmessag ghcr go1 godoc goe gossip hack hardcod higher hint
8 hope httptransport ietf improp inclus individu inf infer interpol ioutil jwt kill legend maxsiz maxwidth
8 multiprocess mw older openjdk peek peopl percentag pipe prefetch prev proj prototyp qo qualifi rand rb rel
8 requestdata retrofit rewrit rw scan scenario slow stretchr studio tail testcas testifi today toler touch trailer
8 uncompress unreach unset watch who wire
7 10px 1px 30px 5px acknowledg addeventlisten administr adopt algorithm along arch area aren bouncycastl bs bsd
7 capit cast ch checkbox choos cleaner clip closur comprehens consolid contract cz darwin deepequ defaultvalu
7 deliv desktop dg digit embed emul enumer errormessag exp fifo fixm fork functool gen getstr geturl goo guarante
7 hashmap headernam healthi highlight hipchat hit hover http2stream ico impact interact interpret jo kernel
7 loginform logout lowercas lq lr lx malform mattn maxag md5 mimetyp modular mq multiplatform nanosecond nd ng
7 nice noqa nq octet og om openapi organiz outgo ph pk pos proguard quit re reconnect regener registr replay
7 retriev revisiontim robolectr robust rune runlock secondari sens seri shut srv stacktrac strong su subclass
7 subproject subset suffici sz tar test1 thought thumb thus tighten traffic transit uc unescap unfortun upper
7 upstream us value1 valueof wild wish wouldn writestr xg ye yk ym yt
6 accord af al am ansi argv arial away bat behav behind bf bj capabl clariti classic classifi commandlin concept
6 contact convers cor cp cs cursor da damag deadlin debian decid dedupl depth dequ descriptor dest dh die discov
6 discoveri draft dropdown dst east el elem en ev eventu ever fj flexibl forbidden forget fq front fulfil fy ga gd
6 gettim gid gmt gpu grant green grow guess hand hang happi hasn honor httpon hv id1 independ initialvalu insensit
6 instant intent isnotempti isol itoa januari jsse kg kq larger lb le legaci linear logev lz machin meant mkdir
6 mongo mz newencod notequ nu observ oserror ot outdat outlin perm pipelin press proceed prs px python3 rawqueri
6 recv refin reg retain risk rlock rpc se sed semicolon seq serif settimeout shown silent simpler simplif sk slot
6 slug sock solid stamp stress subscript sv symbol taken tap tear tempdir templ testtag throttl timeouterror
6 toward trimspac tw uk unchang unhandl unlik unverifi v10 varchar victor violat webkit wont xa xx yq yx
5 01t00 0x7f 12px 30s 40px 5xx ac act alb alon although an anchor announc ao appar aria arrow articl authtyp
5 autodetect axi backslash bar2 bg bot bq broke candid cb choic cj claim claus codebas colon commonnam cred
5 cryptographi ctrl cy cycl dateformat demonstr der deref df diagnost dk dp e0 elimin endian endif endswith
5 english entrypoint eo eventtyp ex explan far favour fe ffff fieldnam flask footer foreign fullpath fx garbag gcm
5 ge getattribut getbytyp getinst getnam getproperti gist gitter gnu gq grpc gz hb heartbeat helloworld helvetica
5 httpclient hu idn ig inspir intermedi intro investig invoc iop isdis isort ja jb ji kc kr listitem littl longest
5 maco manu mechan minim mirror misc monday msvc multiplex n0 neue newer newli nginx nick nl notcontain oe opaqu
5 openjss oq orig overal overhead overload ow packet parseglob parseint past pb phone portion pr precis
5 prerequisit prettier projectdir propos pure pycon qc qe ql qq qy ran reach rem rerun rewritten rg rj rm roll
5 rootproject runtimeerror say servefil setattr shall shift ship signific sj smaller sonatyp sound sprint ssh st
5 stabil stall stroke subsequ suitabl sv1 t8 talk teach tell test2 throughout tlsv1 tod took trip trunk u003e uint
5 underscor undo unhealthi unifi unspecifi urlparam usr uu vet vt vulner warm weak weren whatwg whose worri wr wy
5 xi xo xr xyz zh
4 0xff 14px 16px aa abandon acc actor addev ag aggress aid among anyon anywher appnam apt archiv attent autom av
4 ay bake bandwidth banner bar3 bb becam behalf believ benefit bk boilerpl bounci boundedsemaphor brows btn
4 builddir builddirectori busi bz castl cc chines clamp classmethod configureeach containsexact corner corrupt
4 coupl cri criteria csv ct cu cw danger de dec decompress defens delim dependson detector determinist dial dimens
4 dirti discord divid dj drag driver dt dy ea eas easiest ef elig elsewher emoji ep escal eventrecord everywher ew
4 executetempl explor ey fan fewer ff fg fh fileno fin flatmap floor fold followup foo2 foobar g9 gather getter gh
4 gi gk gm gmail goarch gradient great greater greet guava gx gy h1 h2 ha hashcod hassuffix healthcheck highest hj
4 hm ho homepag hq httprespons human hw hz i0 ic ii im incomplet indefinit insecur involv isarray isatti isvalid
4 ix j0 jan jl jp jqueri jx jz ka kept key1 kit kj kp ks ksp lazili leaf letter levelnam li lowest lv3 lvl m8 mac
4 mandatori manner mar matchstr matter methodget methodpost mg mi microsoft mind mistak mj mm modif msgpack mst
4 mustcompil mx na newserv nf nois o3 obsolet opac opentelemetri outstand overwritten paramvalu park parsefilt pat
4 pathseg pay pd pf pg preload programmat prompt pt pv4 qh qj qos qp queryselector qv rare ratelimit readal
4 rebuild recogn recycl reliabl reopen requesthead responsetext resultset retryabl rfc3339 roadmap rsa ru rwmutex
4 safari safer safeti samesit sanit seek sell setdefault setid setstatus setuptool shield shorter shrink sigterm
4 situat smooth sms somehow someon speed sqlite sqs srcdir sslv3 stand stay stdin subcommand substanti substitut
4 syscal t0 technic tempfil throughput tick tid tip tk toint tolow toset tq trunc ts ttl tx uber uf uid um unrel
4 unresolv unsign unstabl untyp uo utcnow v1 v12 value2 vari vg vk vm vp vr vs vy walk wasm weekday wg whatev
4 wikipedia windowupd wj workload workspac ww xh xp xu yellow yourself yw
"""
