"""Japanese. No spaces and no capitals: a clause is what stands between its punctuation marks."""

from __future__ import annotations

import re

from borgd.lessons.detectors import rule

HARMLESS = re.compile(
    r"忘れ(?:ないで|ずに|ないよう)|違い(?:を|は|が)|まだ.{0,12}ないで|(?:どこ|何"
    r"|なに).{0,8}間違|間違って(?:表示|入力|保存|計算)|問題(?:ない|ありません)|絶対に.{0,8}ない"
)

RULES = (
    rule("ja-chigau", "opening", 0.8, "says that it is wrong", r"(?:違|ちが)(?:います|いました|う|って|くて)"),
    rule("ja-iie", "opening", 0.8, "starts with a no to what was proposed",
         r"(?:いや|いいえ|ううん|だめ|ダメ|駄目)(?=$|、|，|,|です"
         r"|だ)(?!.{0,20}(?:大丈夫|結構|いいです|問題|ありがと|完璧))"),
    rule("ja-dame", "early", 0.8, "says that it is wrong",
         r"(?:それ|これ|そこ|そちら)は(?:間違|違|ダメ|だめ|駄目|よくな|良くな|おかし|まず)"
         r"|そう(?:じゃ|では)な|そういう(?:意味|こと)(?:じゃ|では)な"),
    rule("ja-dewanaku", "early", 0.7, "says what it should be and what not",
         r"(?:じゃ|では)なく(?:て)?|べき(?:です|でした|では)|(?:書き直し|それ)ではありません"),
    rule("ja-shinaide", "first", 0.8, "forbids what was done or proposed",
         r"[一-龯ぁ-んァ-ン](?:ないで)(?!す)|(?:する|使う|入れる)な$|禁止"),
    rule("ja-modoshite", "early", 0.9, "asks to take it back",
         r"(?:元に|もとに|前に)?戻して(?!.{0,6}機能)|取り消して|やり直して"),
    rule("ja-matte", "opening", 0.7, "stops the agent", r"(?:ちょっと)?(?:待って|ストップ|やめて|止めて(?=$|、))"),
    rule("ja-itta", "early", 0.8, "repeats what was asked for",
         r"言(?:った|いました)(?:はず|のに|でしょ|よね|が|けど)?|(?:頼んだ|お願いした)のは"),
    rule("ja-katteni", "early", 0.8, "names what the agent did wrong",
         r"勝手に|余計な|余分な|また.{0,10}忘れて|忘れてい|を間違えて"),
    rule("ja-iranai", "first", 0.7, "says that it is not needed",
         r"(?:要りません|いりません|いらない|不要です|必要(?:は|が)?(?:ない|ありません))"),
    rule("ja-naze", "opening", 0.7, "asks why the agent did that",
         r"(?:なぜ|なんで|どうして|何で).{1,30}(?:したの|しました|消した|変えた|外した|使ったの)"),
    rule("ja-sugiru", "early", 0.7, "says that it is too much", r"(?:複雑|冗長|大げさ|長|多)すぎ"),
    rule("ja-kongo", "early", 0.9, "sets a rule for later", r"今後は|これからは|次回(?:から|は)|以後"),
    rule("ja-kokodewa", "first", 0.7, "states a rule of the team",
         r"(?:ここ|この(?:プロジェクト|リポジトリ|チーム)|うち|私たち"
         r"|我々)では.{1,30}(?:ません|ない|しか|必ず|ルール|方針)|方針です"),
)  # fmt: skip
