"""How the page looks: light and dark, on phones and on paper."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1d20; --dim: #55595f;
  --line: #c9cdd2; --soft: #f2f4f6; --accent: #0a58a8; --bad: #a8201a; --fill: #bcd6f2; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181b; --ink: #e7e9eb; --dim: #aab1b9;
  --line: #454c54; --soft: #1f2428; --accent: #7db9ff; --bad: #ffa198; --fill: #274d77; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.5rem; padding-top: 0.8rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 0.3rem; }
p { margin: 0.4rem 0; max-width: 44rem; }
.verdict { font-size: 1.35rem; line-height: 1.35; font-weight: 600; }
p.dim, figcaption { color: var(--dim); font-size: 0.9rem; max-width: 44rem; }
.note { border-left: 4px solid var(--bad); background: var(--soft); padding: 0.5rem 0.8rem; }
figure { margin: 0.8rem 0; }
.pair { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); }
svg { display: block; width: 100%; max-width: 34rem; height: auto; }
svg text { fill: var(--ink); font: 11px system-ui, sans-serif; }
svg .dim { fill: var(--dim); }
svg .grid { stroke: var(--line); stroke-width: 0.6; }
svg .rule { stroke: var(--dim); stroke-width: 1; stroke-dasharray: 4 3; fill: none; }
svg .band { fill: var(--fill); }
svg .curve { stroke: var(--accent); stroke-width: 2; fill: none; }
svg .whisker { stroke: var(--accent); stroke-width: 1.5; }
svg .dot { fill: var(--accent); fill-opacity: 0.75; }
svg .faint { fill: var(--accent); }
svg .up { fill: var(--accent); } svg .down { fill: var(--bad); }
svg .open .dot { fill: var(--paper); stroke: var(--bad); stroke-width: 1.2; }
svg .of-C { display: none; } svg .of-C.shown { display: inline; }
svg .ring { fill: none; stroke: var(--bad); stroke-width: 2; }
.wide { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; margin: 0.5rem 0; font-variant-numeric: tabular-nums;
  font-size: 0.92rem; }
th, td { padding: 0.25rem 0.6rem; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top; white-space: nowrap; }
th { font-weight: 600; } th[scope=row], td.text, th.text { text-align: left; }
td.text { overflow-wrap: anywhere; min-width: 6rem; max-width: 26rem; white-space: normal; }
.matrix td { min-width: 3.2rem; text-align: center; border: 1px solid var(--line);
  background: color-mix(in srgb, var(--fill) calc(var(--share, 0) * 100%), var(--paper)); }
.matrix td.right { font-weight: 700; }
details { margin: 0.3rem 0 0.8rem; } summary { cursor: pointer; color: var(--accent); }
code { font: 0.88rem ui-monospace, monospace; overflow-wrap: anywhere; }
.slider { background: var(--soft); border-radius: 0.4rem; padding: 0.6rem 0.8rem; margin: 0.6rem 0;
  max-width: 34rem; }
.slider input { width: 100%; height: 2rem; accent-color: var(--accent); }
.slider button { font: inherit; color: var(--accent); background: var(--paper);
  border: 1px solid var(--accent); border-radius: 0.3rem; padding: 0.2rem 0.7rem; }
@media (max-width: 30rem) { table { font-size: 0.8rem; }
  th, td { padding: 0.25rem 0.22rem; white-space: normal; } }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media print { :root { --paper: #ffffff; --ink: #000000; --dim: #444444; --line: #999999;
  --soft: #f4f4f4; --accent: #0a58a8; --bad: #a8201a; --fill: #d5e4f5; }
  .slider { display: none; } .wide { overflow: visible; } figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; } main { max-width: none; } }
"""
