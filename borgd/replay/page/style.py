"""How the page looks: one style sheet, light and dark by the reader's setting, no font and no picture from elsewhere."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --sheet: #ffffff; --ink: #1c2024; --soft: #5d6670; --rule:
  #d9d8d2; --a: #1f5fbf; --b: #b3480f; --c: #8a8f98; --band: rgba(31, 95, 191, .16); }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --sheet: #1b1f23; --ink: #e7e9ea; --soft: #9ba4ad;
  --rule: #343a40; --a: #7db1ff; --b: #ff9f66; --c: #757d87; --band: rgba(125, 177, 255, .2); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 28px 24px 64px; }
header { margin-bottom: 22px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 6px; text-wrap: balance; }
h2 { font-size: 1.2rem; margin: 0 0 6px; }
h3 { font-size: 1rem; margin: 26px 0 4px; }
h4 { font-size: .92rem; margin: 18px 0 2px; }
header p, .lead { color: var(--soft); margin: 0 0 12px; max-width: 68ch; overflow-wrap: anywhere; }
.plan { color: var(--soft); margin: -10px 0 22px; padding: 0 0 0 17px; max-width: 72ch; }
.note { color: var(--soft); font-size: .85rem; margin: 4px 0 0; }
small { display: block; color: var(--soft); font-size: .8rem; font-weight: 400; white-space: normal; min-width: 16ch; }
code { font: .85em ui-monospace, "DejaVu Sans Mono", monospace; white-space: nowrap; }
main > h2 { margin: 22px 0 8px; }
figcaption span { display: block; color: var(--soft); font-weight: 400; font-size: .82rem; }
.verdict { font-size: 1.05rem; color: var(--ink); border-left: 3px solid var(--a); padding: 2px 0 2px 14px; margin: 0
  0 22px; }
section { background: var(--sheet); border: 1px solid var(--rule); border-radius: 10px; padding: 20px 24px 18px;
  margin: 0 0 18px; }
.cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px; margin: 0 0 18px; }
.card { background: var(--sheet); border: 1px solid var(--rule); border-radius: 10px; padding: 12px 16px; margin: 0; }
.card dt { color: var(--soft); font-size: .82rem; line-height: 1.3; min-height: 2.1em; }
.card dd { margin: 2px 0 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.card p { margin: 0; color: var(--soft); font-size: .78rem; }
.plot { margin: 8px 0 2px; overflow: hidden; }
.plot svg { display: block; max-width: 100%; height: auto; }
.narrow { display: none; }
svg text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); }
svg .name { fill: var(--ink); font-weight: 600; }
svg .figure { fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .name, svg .figure { paint-order: stroke; stroke: var(--sheet); stroke-width: 5px; stroke-linejoin: round; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .zero { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; }
svg .limit { stroke: var(--ink); stroke-width: 2; fill: none; }
svg .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .error { stroke-width: 1.5; stroke-opacity: .55; }
svg .whisker { stroke-width: 3; stroke-linecap: round; }
svg .a { stroke: var(--a); }
svg .b { stroke: var(--b); }
svg .c { stroke: var(--c); }
svg .dot { stroke: none; }
svg .dot.a, svg .fill.a { fill: var(--a); }
svg .dot.b { fill: var(--b); }
svg .dot.c, svg .fill.c { fill: var(--c); }
svg .fill { stroke: none; }
svg .soft { fill-opacity: .65; }
svg .band { stroke: none; fill: var(--band); }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; margin: 8px 0 0; font-size:
  .85rem; color: var(--soft); }
.swatch { display: inline-block; width: 14px; height: 10px; border-radius: 2px; margin-right: 6px; background:
  var(--a); }
.swatch.b { background: var(--b); }
.swatch.c { background: var(--c); }
.swatch.band { background: var(--band); }
.swatch.limit { background: var(--ink); height: 3px; vertical-align: middle; }
.panels { display: grid; grid-template-columns: repeat(2, 1fr); gap: 8px 20px; }
figure { margin: 8px 0 0; }
figcaption { font-weight: 600; font-size: .9rem; overflow-wrap: anywhere; }
details { margin: 10px 0 0; font-size: .88rem; }
summary { cursor: pointer; color: var(--a); padding: 3px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .88rem; width: 100%; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--rule); vertical-align: top; }
th:first-child { text-align: left; }
thead th { color: var(--soft); font-weight: 500; }
tbody th { font-weight: 500; white-space: nowrap; }
ul { padding-left: 1.2em; margin: 8px 0; }
footer { color: var(--soft); font-size: .85rem; }
@media (max-width: 700px) { .wide { display: none; } .narrow { display: block; } .panels { grid-template-columns: 1fr;
  } }
@media (max-width: 560px) { main { padding: 18px 12px 40px; } section { padding: 16px 12px; } h1 { font-size: 1.4rem;
  } .cards { grid-template-columns: repeat(2, 1fr); gap: 8px; } .card { padding: 10px 12px; } .card dd { font-size:
  1.12rem; } }
@media print { :root { color-scheme: light; --paper: #fff; --sheet: #fff; --ink: #000; --soft: #444; --rule: #bbb; --a:
  #1f5fbf; --b: #b3480f; --c: #8a8f98; } main { max-width: none; padding: 0; } section, .card, tr { break-inside:
  avoid; } summary { display: none; } details::details-content { content-visibility: visible; display: block; } }
""".strip()
