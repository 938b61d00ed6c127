"""The looks of the page; colours that colour-blind people can tell apart, light and dark."""

STYLE = """
:root { --ink: #1d2530; --soft: #5b6776; --paper: #ffffff; --card: #f6f7f9; --rule: #d9dee5;
  --one: #1f6feb; --two: #d9730d; --good: #12805c; --bad: #c2343e; --count: #cbd3de; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa6b5;
  --paper: #12161c; --card: #1a2028; --rule: #323b47; --one: #6ea8ff; --two: #ffa657;
  --good: #4cc38a; --bad: #ff7b81; --count: #39434f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 17px; margin: 0 0 12px; }
.subtitle { color: var(--soft); margin: 6px 0 28px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; }
.tile { background: var(--card); border-radius: 10px; padding: 14px 16px; }
.tile b { display: block; font-size: 27px; font-variant-numeric: tabular-nums; }
.tile span { display: block; font-weight: 600; font-size: 14px; }
.tile small { color: var(--soft); display: block; line-height: 1.35; margin-top: 4px; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr));
  gap: 16px; margin: 28px 0; }
figure { margin: 0; background: var(--card); border-radius: 10px; padding: 18px 20px; }
figcaption { color: var(--soft); font-size: 13.5px; margin-top: 8px; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 12.5px; }
.grid { stroke: var(--rule); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.ideal { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 5; }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
.line.one { stroke: var(--one); } .dot.one { fill: var(--one); }
.line.two { stroke: var(--two); } .dot.two { fill: var(--two); }
.line.good { stroke: var(--good); } .dot.good { fill: var(--good); }
.line.bad { stroke: var(--bad); } .dot.bad { fill: var(--bad); }
.line.none { stroke: var(--soft); } .dot.none { fill: var(--soft); }
.count { fill: var(--count); } .bar { fill: var(--one); }
section { margin-top: 28px; }
table { border-collapse: collapse; width: 100%; font-size: 14.5px; }
th { text-align: left; padding: 14px 12px 4px 0; }
td { padding: 5px 12px 5px 0; border-top: 1px solid var(--rule); vertical-align: top; }
td:nth-child(2) { font-variant-numeric: tabular-nums; }
td:last-child { color: var(--soft); }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 480px) { .plots { grid-template-columns: 1fr; } }
"""
