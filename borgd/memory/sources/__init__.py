"""Where outcomes come from, without a model: one small pure function each, each naming the evidence it rests on.

Word overlap alone is never a label. What cannot be judged is told apart from what was judged and found wanting.
"""
