"""Japanese. No spaces and no capitals: a clause is what stands between its punctuation marks."""

from __future__ import annotations

import re

from borgd.lessons.corrections.languages import rule

HARMLESS = re.compile(
    r"忘れ(?:ないで|ずに|ないよう)|違い(?:を|は|が)|まだ.{0,12}ないで|(?:どこ|何|なに).{0,8}間違"
    r"|(?<!読み)(?<!聞き)間違って(?:表示|入力|保存|計算|いると)|問題(?:ない|ありません)"
    r"|絶対に.{0,8}ない(?!で)|でき(?:ない|ません)よう"
)

RULES = (
    rule("ja-chigau", "opening", 0.8, "says that it is wrong", r"(?:違|ちが)(?:います|いました|う|って|くて)"),
    rule("ja-iie", "opening", 0.8, "starts with a no to what was proposed",
         r"(?:いやいや|いや|いいえ|いえ|ううん|だめ|ダメ|駄目)(?=$|、|，|,|です|だ|違|それ|そう)"
         r"(?!.{0,20}(?:大丈夫|結構|いいです|問題|ありがと|完璧))"),
    rule("ja-dame", "early", 0.8, "says that it is wrong",
         r"(?:それ|これ|そこ|そちら)は(?:間違|違|ダメ|だめ|駄目|よくな|良くな|おかし|まず)|そう(?:じゃ|では)な"
         r"|そういう(?:意味|こと)(?:じゃ|では)な"),
    rule("ja-sore-da-to", "opening", 0.7, "says what harm it does",
         r"(?:それ|これ|その方法|このまま)(?:だと|では|じゃ).{0,30}(?:壊れ|困|動か|ダメ"
         r"|だめ|遅|失敗|消え|漏れ|落ち|足り|すぎ)"),
    rule("ja-dewanaku", "early", 0.7, "says what it should be and what not",
         r"(?:じゃ|では)なく(?:て)?|べき(?:です|でした|では)|(?:書き直し|それ)ではありません"),
    rule("ja-shinaide", "first", 0.8, "forbids what was done or proposed",
         r"[一-龯ぁ-んァ-ン](?:ないで)(?!す)|(?:する|使う|入れる)な$|禁止"),
    rule("ja-modoshite", "early", 0.9, "asks to take it back",
         r"(?:元に|もとに|前に)?戻して(?!.{0,6}機能)|取り消して|やり直して|(?:前|元)のまま|そのままにして"),
    rule("ja-matte", "opening", 0.7, "stops the agent", r"(?:ちょっと)?(?:待って|ストップ|やめて|止めて(?=$|、))"),
    rule("ja-itta", "early", 0.8, "repeats what was asked for",
         r"(?:言(?:った|いました)|決めた|話した|伝えた|お願いした|約束した)(?:はず|のに|でしょ"
         r"|よね)|言(?:った|いました)|(?:頼んだ|お願いした)のは"),
    rule("ja-katteni", "early", 0.8, "names what the agent did wrong",
         r"勝手に|余計な|余分な|また.{0,10}忘れて|忘れてい|を間違えて|(?:読み|聞き|取り)(?:間違|違)え|勘違い|誤解して|意図的"
         r"|(?:消|外|変え|削除し)(?:し)?ましたね"),
    rule("ja-iranai", "first", 0.7, "says that it is not needed",
         r"(?:要りません|いりません|いらない|要らない|不要(?:です|なので|だ)|必要(?:は|が)?(?:ない|ありません))"),
    rule("ja-naze", "opening", 0.7, "asks why the agent did that",
         r"(?:なぜ|なんで|どうして|何で).{1,30}(?:(?:し|入れ|変え|加え)た(?:の|んです)"
         r"|しました|(?:消し|外し|使っ|作っ|書い|直し|触っ)(?:た|だ)(?:の|んです)?)"),
    rule("ja-de-ii", "opening", 0.6, "asks for something simpler",
         r".{1,30}(?:でいいのでは|で十分|でよくない|で良いのでは|でいいでしょ)"),
    rule("ja-oshii", "opening", 0.7, "says that it is nearly right", r"惜しい|おしい|ちょっと違|少し違|もう少し"),
    rule("ja-zettai", "first", 0.8, "refuses it", r"絶対に.{1,30}(?:ないで|だめ|ダメ|禁止)"),
    rule("ja-moreteiru", "opening", 0.6, "names what it leaves out",
         r".{0,30}(?:考慮|対応|カバー|処理|チェック|テスト)(?:が)?(?:されて|できて"
         r"|して)い(?:ません|ない)|(?:その|この)(?:テスト|コード|実装|修正"
         r"|変更)は.{1,30}(?:しか|だけ)"),
    rule("ja-awasete", "first", 0.6, "points to how it is done elsewhere",
         r"(?:他|ほか|既存)の.{1,20}(?:と同じ|に合わせ|にならって|のように|と統一)|(?:前|まえ)に(?:確認|相談|聞い)"),
    rule("ja-mondai", "opening", 0.7, "names what is bad about it",
         r"(?:それ|これ)は.{0,20}(?:ホール|脆弱性|破壊的|バグ|違反|漏洩|危険|問題です)|.{1,30}(?:決まり|ルール|規約)です"),
    rule("ja-naito", "opening", 0.5, "says what happens otherwise",
         r".{1,20}ないと.{1,20}(?:ます|る)$|.{1,20}てください、.{1,15}(?:だと"
         r"|では)"),
    rule("ja-sugiru", "early", 0.7, "says that it is too much", r"(?:複雑|冗長|大げさ|長|多|遅)すぎ"),
    rule("ja-kongo", "early", 0.9, "sets a rule for later", r"今後は|これからは|次回(?:から|は)|以後"),
    rule("ja-kokodewa", "first", 0.7, "states a rule of the team",
         r"(?:ここ|この(?:プロジェクト|リポジトリ|チーム)|うち|私たち|我々)では.{1,30}(?:ません|ない|しか|必ず|ルール|方針)"
         r"|方針です|は必ず|は(?:いつも|常に)"),
)  # fmt: skip
