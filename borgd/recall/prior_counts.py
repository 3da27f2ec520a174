"""Stems and in how many of the counted contexts each was. Data only, no promise beyond that.

The contexts were made from nine public repositories with free licences (a web client, two web frameworks, an HTTP client
for phones, a phone app, a task queue, infrastructure modules, an alert router, an analytics page): a commit's message,
touched paths and a piece of its diff, or a passage of the documentation. Each line is a count and its stems; stems of
one repository only are left out. tests/perf/count_contexts.py makes this file.
"""

CONTEXTS = 5024
"""How many contexts were counted."""

STEMS = 278672
"""Their distinct stems, summed over the contexts, with those left out below."""

COUNTS = """
2390 the
2206 for
1836 and
1760 use
1560 test
1462 add
1442 with
1428 com
1411 src
1323 this
1298 doc
1295 from
1212 fix
1143 main
1101 name
1095 https
1087 not
1076 get
1058 type
1045 http
1009 that
986 return
961 new
953 request
952 string
940 set
923 updat
917 app
864 github
845 default
791 import
789 valu
782 error
757 you
749 respons
739 version
737 exampl
733 code
715 data
695 are
693 readm
691 can
676 when
665 api
650 url
638 support
628 true
623 modul
616 self
614 client
605 chang
603 java
591 header
589 changelog creat
587 all group
572 remov
559 will
532 file
526 rout
518 connect
514 okhttp
508 list
497 configur
492 build
489 map
486 config
484 requir
483 json
478 user
476 key
471 option
468 bodi
467 path
466 time
455 run
452 assert
445 content
444 async
443 fals
442 server
439 call
436 messag
433 node
428 onli
427 make
426 except
424 class featur
420 worker
419 provid
416 issu
415 ani
412 org
409 task
408 method
405 have
402 googl now
398 ek
395 manag should
394 log
390 allow
389 def
386 status
384 internal
380 var
378 context
377 android more
373 into
372 aw cluster
367 result
366 which
364 local start
362 core
360 has
359 see
357 util
353 sampl
348 kotlin
342 but
341 need
340 func rst
337 model
335 resourc
334 implement none null
333 depend state
329 event send
325 instanc
322 base
321 also includ
318 byte document sourc
317 format
316 queri
315 releas
314 case enabl
310 err id
306 check close
305 templat
303 write
300 function
298 packag
295 stream
294 els text
293 is
291 handler ok
290 fail
289 lib
286 applic okhttp3
284 index
280 handl
279 router
276 size
273 equal html label
272 current
271 instead
270 let must read work
269 python
267 one
266 limit other servic
262 block some
261 privat
257 gin
256 match tri
252 public
250 may
249 descript
248 encod variabl your
247 await compon
246 web
244 follow timeout
243 empti end
242 appli custom
238 auth max
237 contain note to
236 post
234 pass tag val
233 where
231 after
230 const secur
228 addit
227 befor count upgrad
226 execut first then
225 init websit
224 was
223 don form link
222 cach mock output
221 int
220 nil
218 detail
217 socket
216 process pull
214 mod
213 input like toml
212 extract receiv role
211 gradl
210 debug
209 without
207 pars
206 extra object
204 open page
203 valid
202 backend struct
200 control out
199 each filter
198 alert network
197 pool specif
196 been common there
194 number
193 bool
192 dispatch host
191 field static view
190 delet project yaml
189 expect param
188 avail yml
185 bug
184 level these
183 replac
182 argument unit
181 impl
177 polici www
175 txt
174 it
173 iam length next
172 date
171 interfac str
170 builder commit same
169 action move
168 disabl logger overrid protocol
167 notifi specifi tls
166 exist librari
165 fun
164 author rais
163 here info system
162 copi metric rule
161 bar on paramet
160 proxi squareup warn
159 activ direct load
158 access instal
157 bind net userguid
155 line
154 command generat latest
152 concurr feat improv
151 platform
150 condit
149 address compat defin item part under
148 integr
147 about correct drop launch
146 either
145 ref silenc throw
144 accept ensur perform
143 len style than
142 doe refer second ssl via
139 found rang req script setup take
138 fmt licens resolv
137 io listen pre report they transport
136 differ middlewar mode notif permiss
135 redirect
134 arg break histori ignor miss order sync
133 databas session
132 languag multipl such topic workflow
131 certif deprec render show want
130 be initi join lock target typo
129 foo how jvm port prefix tabl
128 imag previous
127 buffer select
126 conf res
125 auto environ our prometheus sinc
124 arn decod screen width
123 avoid basic color extens root serv singl while writer
122 alreadi export final profil
121 comment properti share
120 compos
119 guid registri
118 master queue way
117 between xml
116 contribut navig window
115 authent both iter merg own record reject
114 advanc failur find lint long longer retri store top usag
113 attribut endpoint head inform no wait
112 domain http2 layer layout multipart pleas
111 collect complet full last logic relat them
110 alway dev just mean password print put
109 entri what
108 automat engin thread two
107 onc simpl
106 consum distribut sent success
105 clone doesn raw void
104 env modifi
103 hostnam over repositori
102 attach becaus button mani non todo tsx
101 develop keep pytest verifi would
100 mut refactor
99 androidx futur team uri
98 behavior explicit ioexcept
97 news
96 chore convert done invalid origin
95 even flag hook kts possibl squar titl trace
94 amazon append array cooki sure
93 boolean git renam section tree utf
92 apach hello ident macro of per save were
91 broker due min step through
90 still
89 kind kubernet statuscod
88 box express given help oper real schedul separ strategi
87 back compar durat interceptor runtim token
86 analyt by consol regist reset termin unless
85 better
84 continu dns localhost reason skip
83 at benchmark catch compil effect fallback plugin scheme
82 caus deriv most patch
81 could icon lookup mark region whether
80 attempt bin dure pub
79 assertequ chain redi tupl until
78 locat msg their tool
77 anoth directori in publish search std unknown
76 clean opt png problem shutdown track
75 annot edit fill peer
74 cancel convent frame serial
73 asset callback dict global graph matcher push
72 devic expir factori forc interest kwarg softwar unwrap
71 background css everi old optim prevent reader readi right trust
70 column lang recommend scope stop switch within world
69 ap cfg href job small usernam well
68 actual copyright describ obtain panic proper spec standard
67 blob cannot react remot split
66 account below cmd defer detect echo monitor revert
65 androidtest click determin django secret summari too
64 crash errorf larg tcp
63 align autosc exc introduc space
62 abl as asyncio display expos interval loop memori necessari total
61 again assum dir email impli point safe
60 basi channel govern inner nav sql uniqu
59 abov charset delay exit expand extend golang repeat warranti
58 creation height hub parent pin tmpl wrap
57 associ cert etc happen okio rather sign stat
56 branch cleanup consist down exchang handshak hash howev otherwis plain signal suit synchron uuid
55 div ext filenam identifi ipv6 isinst pattern placement prepar sort
54 agre constant manual my nest proto thing variant written
53 cidr demo helper member migrat pod sub svg trigger
52 addr admin binari built flow leak period prefer prod schema similar sse
51 alloc bad capac docker grace login maintain materi multi never place theme upload
50 clear cli communiti coverag element isn junit law reduc review those websocket
49 agent browser general high made primari println selector
48 adapt dynam enqueu extern fixtur give img lifecycl maximum posit program reflect
47 curl desir encrypt generic obj payload race statusok suffix super unexpect
46 abil center chunk complianc cover download experiment fetch mayb might noerror pypi sever stack strict unus
45 compress countri ctx deseri ecosystem indic insert lower minimum pageview row someth spotless sum term ui
44 altern bash bootstrap chart design enhanc left linux reus stabl travi webhook wrong
43 around autoscal bit mix rate simplifi snapshot
42 ask baselin communic credenti day destroy disk exact forward framework hashicorp ip learn protobuf regex rest
42 unix
41 card cloud coroutin destin discuss do duplic entir fast go occur pend present pycon recoveri scale signatur sys
41 ur wrapper
40 bottom combin got hyper partit ping realtim short sleep stroke trail zero
39 abstract broken consid fake makefil normal owner pip repo stderr utc
38 2px against begin charact child compact contributor hour journey look metadata minut plan pragma propag submit
38 won
37 attr best bugfix caller chat come contrib good inlin legend ls nativ pad poll shell sink slice sprintf statement
37 up whi
36 assign buf bump classnam comput definit easi instanti known kotlinx later pair pointer screenshot semant side
36 strip subgraph syntax utf8 yet
35 dashboard deploy everyth feed headermap internet ipv4 jar least mention noth subject tostr unnecessari yield
34 architectur ascii assertthat boundari catalog confirm dep elif faq gzip had latenc mail manifest medium overview
34 parser persist quot rememb timezon
33 across char cipher coalesc declar know random recip respect runner thank unmarsh
32 amount backward badg base64 daemon finish gitignor guard httptest increas itself loader meta much off os product
32 py remain slash userid
31 abort addon appropri artifact classpath easier emit mute regular reserv sdk suggest userdata
30 aliv amazonaw care comma few if incorrect individu mq namespac notic oidc onclick pkg purpos pv6 redund relev
30 sec shortcut span stage suppress tgz zone
29 affect alt behaviour border bound did enum establish fire fulli incompat inspect lead listof margin maven offset
29 op partial particular requestbodi responsewrit restart round slack succeed timestamp tweak undefin veri wiki
28 ack aggreg bundl concat datetim decor doubl exceed fork gradlew inject lambda less lost media mime princip
28 quickstart recov referr refresh seri simpli soft suppli therefor tracker visitor volum
27 adjust age approach callabl critic eb entiti executor fingerprint focus gossip handlerfunc illeg immedi intl
27 live logo low methodrout perman printf question respond sequenc startswith storag tab vec x86
26 absolut asynchron captur conflict crypto docstr fn grid hold home inc incom insid integ jetbrain keyword major
26 newrecord offlin outsid prioriti produc proj promis prop protect reload restor segment site think vendor visibl
25 abc accord blog brot conftest db didn diff eager enforc exec experi feedback hard held idea introduct isequalto
25 mechan ni ns num offer omitempti or percent potenti probabl regress rfc shouldn solut stdout traceback unreleas
25 visit wildcard
24 ae baz checksum clarifi construct deliveri dump enough float githubusercont inherit interact leav menu
24 millisecond minor modern mutabl omit pem postgresql power recent revers room scroll sslcontext startup tl toggl
24 transfer union
23 asserttru builtin challeng connectionpool cpu earli escap folder gmail idna indent intend interrupt kube math
23 milli newrequest older permit person pop prefetch preview repr rs sensit sha1 special suspend various viewmodel
23 virtual welcom
22 anim aren broadcast children ci conn conscrypt constructor cookiejar deleg discard dot exclud fine gap hidden
22 markdown marker mkdoc popul progress reli resp responsebodi rewrit testdata togeth traffic translat urllib3 who
22 word x64
21 acquir alpha ar bytestr clippi correspond decid ds effort evalu flaki foundat free fs further ktx month offici
21 parti sig third three tmp transform trim typic
20 capit choos cls countdown del discord distinct dsl famili flush font glob goal hybrid instruct invok legaci
20 letter lite rank reliabl stale subscrib temporari transit unauthor white workaround
19 accident codec counter dedic deliv demonstr equival eras getattr gethead httpbin httptransport idx increment
19 instrument ioutil isempti lazi mem mongodb multiprocess pid pixel preserv prior pu realli recreat regexp repli
19 resolut spell structur testimplement thus tunnel twice understand unlock urlencod usual whitespac writehead
18 alia alpn black calcul capabl checkout companion contenttyp desc dialog disallow effici ep flexibl hide hit
18 http3 impact issuecom javax jdk keyerror liter mysql observ outgo pi play prev reach readal readthedoc reproduc
18 restrict sq tolowercas tutori ud unicod wasn year
17 algorithm arc arm64 aslist behind complex cost cut dark datastructur deep delimit digest exclus filepath getvalu
17 golangci hand hasattr idl immut issuer js mainten mc negoti nz oc pager parallel percentag plus pro pv4 qg quick
17 repres retent retriev rev rocket satisfi sender sha sid spawn truncat tsr turn unsupport valueerror wire zip
16 androidmanifest anyth atom awar blank composit conduct deflat deni dictionari disconnect dockerfil emb
16 filesystem float64 goe goroutin ietf kill kt late mac magic marshal minim mit ms msgpack overflow pick practic
16 proceed re readabl represent sock sometim sqs syn taken timer unabl unavail utm v2 vector vulner wg x00 x7b yx
15 adopt ag am az basepath bg ciphersuit circleci concept contact cr dd dedup delta demand ecdh fit fixup flex
15 formatt fragment ft happi importerror latin light lot machin mount mutat newlin nop notabl openapi openid optin
15 pong prs ps qp quiet regard rl shown sidebar signific soon stabil studio subclass subsequ t1 tcplisten tell
15 upstream verif vm watch wheel whole wikipedia writestr x1e xca xxx yr
14 amd64 appear approv appstat archiv basicauth bom bouncycastl bucket cd classic comparison corrupt darwin detach
14 draw easili elaps encourag envvar exhaust fall flake8 foreach gd gh headervalu health heartbeat http2connection
14 interpret iso januari jo justifi larger linter lru march mistak mj modular noqa oneshot postgr qo qr queryparam
14 rawqueri rc1 red regardless rsa runtest scenario seen sha256 silent situat slight sqlite sslsocket
14 statusbadrequest svc tn today trip typ ubuntu unmarshal usr ut x1a x1b x1c x34 x37 x509 x73 x7e x90 x94 xa1 xb9
14 xbc xc0 xc1 xc3 xc8 xce xd1 xe1 xfd xff yw
13 10px 1px although apk arch away awesom balanc batch believ benefit big bounci cassandra castl categori chan
13 circl cn codecov connecttimeout convers cosmet cpython createdat credit dead deadlin depth descriptor draft
13 drain embed explain fatal fp gen gpu grant green hy inspir int32 int64 irc javascript jg junit4 lq maco mi mongo
13 negat nm notfound often panel peopl perf phrase propos qk quit readtimeout realm rw shut slow solid stdlib
13 though ti timedelta treat typeerror uc unreach v21 verbos visual vl vw weight xmlns yes
12 achiev administr ak arbitrari backport bench bridg bring cachecontrol checklist chip confus constraint
12 contentlength conveni cross defaultmessag discov discoveri divers earlier emul enter ever evict flat flatten fx
12 gateway gc godoc gopkg great guidelin hang hex highlight holder horizont hq independ indirect inputstream
12 intercept intermedi john jpg jwt keepal loglevel lowercas mozilla mr newer nor npm nullabl ny obsolet openssl
12 outer pack placehold qn qs referenc say seek ss stretchr stuff td testifi transpar uint64 unhealthi unset vertic
12 whenev wish yd zi zl zz
11 30s acknowledg ad adher af along an answer assembl becom bo ca central checkbox clock consider creator cu da di
11 duplex ea errorcod eventtyp eventu ex excel ey filemod fold fq fresh fullpath gate geo gi gitter greater grep
11 guidanc hierarchi higher honor httpmethod ib ih implicit incid infer instant intent issuccess ja kb kernel manu
11 market microsoft middl mismatch ml motiv mypi nano nd nx overlap pk pos proc qualifi rc retain rk runtimeerror
11 rx scan semaphor setuptool shape solo stamp substr talk throughput toward uk unprocess upon uv uz v10 week wide
11 wip wj wn wp writetimeout wt wz xy zp
10 ab ai ao aosp arrow articl assertfals august autom awkward ay beta bf bracket carri cast cc cg choic cold
10 comprehens cz decemb disrupt dom dw east eg everyon ew faster favor fi figur footer fr fulfil fy gcm ge getbynam
10 getlogg geturl gmt goo guarante gx hack healthi httpon ij inclus instanceof isol iy jw kafka kit ko ky l3 land
10 malform matrix meant mg mib mk mkdir mocktransport money monkey multipli mutex mw mx navbar numer og particip
10 pathnam phantom pretti price proguard qw rare reconnect relativepath requesthead ret retrofit revis rj robolectr
10 sc semver sens sep sg simpler simul singleton ssh strconv temp templ testutil touch uid unacknowledg unsaf
10 userinfo violat vp vt warm we west win32 wk xf xr yk yn zstd
9 aa ac actor afterward agp al anchor announc anymor anywher april ax bearer blue brand bs bu busi campaign canon
9 ck closur ctrl cve dedupl dequ df disposit doctyp dt dyn ed editor ej el elem emptylist english eof eq expens f3
9 fact favicon fe fg finder flavor getitem getnam gg gid grow gs gt handlernam hashcod haven hint httpconnect hw
9 incomplet infinit interpol intro isnotempti iz jc ji keepachangelog keyfil ki ks kx lack littl lt lw mask md5 mm
9 na nb night novemb nu od openjdk overwrit pa pe pg plural preced promot pt pure qh ql rb recurs replic rolearn
9 rpc seal seper servehttp shield solv statist stringifi sudo suppos surfac ta tail threadpool throughout trailer
9 transact ts typeof tz unfortun unittest updatedat urllib urlpars usefixtur uy vast video vz wd weren whitelist
9 xg xlarg xw z5 zg zm zn zs
8 20px aj alias argv arriv assigne banner baseexcept bi bk book boot bot broke bt cat caught certain chrome clip
8 codebas collaps colon contract coordin cryptographi dateformat david de deal decompress der dest diagram dirnam
8 dismiss dist dont dr dropdown dst e5 easiest en expiri fa far fatalf feel fieldnam five fl flake friend fz georg
8 getmessag getproperti getstr gist golint grain guess gz handi hr ht human i9 idiomat ig inconsist inflat
8 internation interop involv isort itoa iw jj jk jp jr jy lateinit lg mattn mb multiplatform mutual myapp nf noop
8 oa oauth onlin onto orm outlin overhead pipe pipelin prepend primit pw px qj querystr qx radius recv refin reg
8 request1 rlock ro roll rotat runlock safeti sed seem sequenti servefil setitem shadow shift simultan smaller
8 speed strong submodul suitabl supervisor sw swap tap te telemetri tempfil th themselv throttl tip tm tolist
8 trimspac tt tv udp ue uj unlik unstabl upcom uppercas userag valueof vj vq webkit wi workspac wu xb xh y8 ym yp
8 zd zh zk zx
7 15s 2xx 4px aar act advantag advertis alter annoy attack behav bh bl board bq brain bw c0 ce certfil chanc
7 checker checkpoint chr cl claim clariti cloudflar coil conform consult cor couldn cov cq crt cy dataset
7 deprecationwarn desktop dh digit dp dual ef encount er es escal februari fh filterbar flight fns fo forbid
7 forgot fprintf frequent g1 ga1 getattribut getsess gf ghcr gk gotcha grammar grpc h1 h8 hardcod hasn hc
7 helloworld hf hi hj hs hv ideal ie im indexof inf insecur insensit invoc iso8601 javadoc jb je jl jsse k9 ku kw
7 lb le listenandserv loginform logout loss m4 matter maxag measur messageformat mh micro mixin mobil moment msvc
7 mt mz nat necessarili neither newencod nice nj nl np npn nr nv obvious octet opaqu oracl overal ow oy pagin pane
7 paste peek perfect pj pooltimeout pp pq prof prompt prototyp provision pv2 q0 q1 qc qy recogn recycl redact
7 refus regener rel reorder responseclos reusabl revamp rg rp rt ru rune rv san scrollbar sd septemb setattr
7 sethead sh shall sj sl slot sm sms so social sooner squash srv stacktrac stand stay stdin subdomain suffici
7 symbol sz threshold tk toler tom toset tr tw twitter u1 ug uint32 unchang uncompress unifi unquot unresolv uo us
7 uw ux vari vg vh wa whatwg wq wr ww xk yi yu yy yz zlib
6 12px 4xx a1 a5 acceler aggress agreement aim almost ansi anyway aq arm assertionerror assumpt authtyp b2 ba bc
6 brotlipi bsd buildsrc bz c5 c6 cafil candid checkin chines chromium coerc commandlin commerci concis consequ
6 coroutinescop cri ct cw deadlock decis deepequ defaultconfig defaultvalu dg difficult discourag divid dl dqyj
6 eas eh emoji endswith et exp expiresat explan ez familiar fd ff flexbox forev fri fzc3dvcm garbag getdefault
6 gethostnam getlist getter gettim gj gl gn gnu govendor guava guest gy h6 hardwar hashmap hipchat ho hope hp hz
6 ico ihvc improp inact inbound initialvalu invert isatti iv jh jn jun june jx jz k4 kd keypair kl la ld lf lh
6 linear lj lu ly m1 maxsiz maxwidth methodnotallow mii mind misc modif multiplex n2 newli nick nn nobodi nowrap
6 nt nvb o9 odd onclos oo opac oq ov p7 packet parsefil pat phase phoni piec plaintext plenti po pr preload prove
6 python3 qi qu queu qux rand reformat repl replay rich rmlx rn roadmap rollback rootproject rr rz s7 savedst
6 sentenc seq ship shot shrink sighup sigterm sk somehow sr staticfil sticki stringio studi su subset subtl sv sy
6 textfield thumb timeformat timeouterror tini tolow tomediatyp trick troubleshoot twp u2 u3 u8 unspecifi upper
6 v09 va value1 value2 vc vd vk vr vx vy vzd walk weak weekday wf withtyp wm wont worri worth xa xc xe xp xq xyz
6 y0 y7 yellow yj yq yup yw9 yyyi z0 z2 zc zr zt zu
5 1xx 300px 30px 5xx aaa abi adam addeventlisten affin aid alon aon apart apierror appl apt authtoken autogener
5 avatar bandwidth bb bold borrow broad brows c2 cacheabl camera cgi ch chmod chosen cid cla clearer closer cm co
5 codenam colin collabor compani complic concaten concern concret confid configureeach containsexact corp cp
5 createsess currenc cycl dan danger determinist dial die differenti distributionurl doesnt dq drag e6 ec edg ee
5 elimin enumer eo epoch errcheck especi ev exercis expr facebook facilit factor failov fewer fff findlibrari fk
5 fli foobar forbidden forum four freebsd freez fw g7 ga getbytyp getenv gms go111module gone gr grafana h9 harass
5 harm hd he headernam hh hijack hm hood hop hot httprequest i4 iana icu ik inappropri insight ipaddress isset j0
5 j1 jan jsx jv k1 k7 kept key1 kk knowledg kp kq l4 l9 launcher lazili legal lifetim livedata ll lm lo logev lose
5 lz m7 man manipul manner maxdepth md med mike minus mis mo n4 n6 name1 newwrit nh nodenam nonexist nw oe oi oj
5 ongo opera outcom ox p1 p9 parameter parseglob past perhap perm phone physic pie pkcs8 pkgpath prerequisit
5 projectdir qt r5 ra ran ratelimit readon rebuild registr replica resend resili resum ri risk robot robust
5 rootdir routeid rq rwmutex sa sad sanit seed serverless setlevel settyp sibl simplest sit slider smooth sole
5 statusnotfound subproject swagger syntact systemexit tablet tar tcpstream technic test1 testcas testtag tg
5 thrown tidi tj toint took toolchain transmit tu ty ua uint uncheck unconfin unimpl unpack unread unrecover
5 untrust unverifi uq v0 v4 v5 van venv ver vi victor vnd vs w2 wake wast wb wc went whatev whichev withcontext
5 workstat wouldn wy x9 xn xo xu ya yg yt yv z3 za zo zq zstandard
4 0x20 0x7 10s 15px 16px 3px 3rd 3xx 5px a0 a2 a6 accessor accomplish accur addal addopt advic alpha03 alphabet
4 anyon appar area asctim assist attent au av b3 b5 backgroundcolor bare besid bgkqhki bill bj bn bp brew brief
4 btn builddir builddirectori bunch bypass c4 c7 cap caution ccm cdn cell cgg cleaner cloneabl col collis comfort
4 complaint componentact consumpt contextmanag corner createel cron cx d5 dat datacent datatrack dd7 debugg dec
4 decim decreas decrement degrad derefer detector devel dimens disagre dispos dj dk driver dummi dy e2e ei eleg
4 engag entrypoint envelop espresso estim etag everywher ewr ex0 executetempl expecterror explor fair fan fanout
4 fault fifo fixm fj floor followup foo1 foreign fortun front fu functool fv fvu g9 g9w0 gain gather german
4 getelementbyid getinst gomaxproc gopath gp grammat greet gu gw h2 ha half hb hcx histor hk hkq homebrew homepag
4 httpget huge hunter hx hyphen inaccess indefinit infrastructur inputvalu interfer intersect iota isvalid iw1 ix
4 j2 jd jm jon josu jsonwebtoken juli k0 ke kf kg kotlinlang kr ktlint l6 leaf lean leftov listitem lk localstorag
4 lp lv lvl lx m2 malici mapof mar maxim mbaae meet microsecond mid miib mirror mitig mlo mon mr2 mu multipartform
4 mutablelist mutablemap myproxi name2 nc ne neater needless newserv newurl ng nginx nolint nvhq4 o4 o5 o7 oauth2
4 oct octob oh okay om ondelet onward openjss opensourc opportun organiz orient orig outdat outstand overload
4 overridden overwritten ownership parenthes pathseg paus pay pb pd pf ph pile polish portion posix precis prefac
4 prematur press prettierignor profession qa qe qibadan qq qualiti r1 r4 reachabl rebas recipi relax reorgan
4 replaceal rfc2616 rgba rh rid rm ry s0 s4 s8 sam scratch searchqueri semicolon ser serializ setter sexual sf sfd
4 shallow shorter si sigkil siz smart smb smith someon spam spent splice sponsor sslstream sslv3 st stall
4 standalon star statustext streamread stretch stuck substanti sun swallow sx syscal systemd t4 t6 t9 targetsdk
4 targetsdkvers tba tc tear teardown test2 textual tf th7 theori thu tier tracer trivial ty1 u4 uber uh unbound
4 underscor uniq unlimit unmodifi unneed unrel unsign urg urlparam usabl useless v1 v6 v8 v9 vf vim vo vu vv w0 w1
4 weird wherev whose win wm6 writeto wrote wv wx x1 x4 x7 xfail xl xs yb yc ydvr0 yf yhm yvg z4 z6 z8 z9 zw
"""
