"""Renders charts: SVG, and the Vega that a page runs. vl-convert is imported when it is first needed, because it
takes longer than most commands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ab_runner.report.charts.parts import Spec

VEGA_LITE = "6.4"
_INTERPRETER = "https://cdn.jsdelivr.net/npm/vega-interpreter@2.0.0/+esm.js"


def svg(spec: Spec) -> str:
    """Return the chart as SVG that ends with its `digest` in a comment."""
    import vl_convert

    return f"{vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)}<!-- {digest(spec)} -->\n"


def digest(spec: Spec) -> str:
    """Return what tells whether a drawn file is of this description and its data: the drawing itself also depends on
    the fonts of the machine."""
    return hashlib.sha256(json.dumps([VEGA_LITE, spec], sort_keys=True).encode()).hexdigest()


def vega(spec: Spec) -> Mapping[str, Any]:
    """What Vega runs: so a page needs no Vega-Lite."""
    import vl_convert

    return vl_convert.vegalite_to_vega(spec, vl_version=VEGA_LITE)


@cache
def vega_script() -> str:
    """Vega itself, with its interpreter of expressions, as a script that leaves both in `window.vega`. Nothing in it
    closes the element that contains it."""
    import vl_convert

    # The `vega` that a snippet gets is its default export, and Vega 6 has none: so both are imported by the names that
    # vl-convert keeps its own copies under. Nothing is downloaded.
    vega = f"https://cdn.jsdelivr.net/npm/vega@{vl_convert.get_vega_version()}/+esm.js"
    script = vl_convert.javascript_bundle(
        f'import * as all from "{vega}"; import {{ expressionInterpreter }} from "{_INTERPRETER}"; '
        "window.vega = { ...all, expressionInterpreter };",
        VEGA_LITE,
    )
    return script.replace("</script", "<\\/script")


def with_rows(spec: Spec, rows: Sequence[Mapping[str, Any]], **params: Any) -> Spec:
    """The description with its data and with other values of its parameters."""
    return spec | {
        "data": {**spec["data"], "values": rows},
        "params": [{**each, "value": params.get(each["name"], each["value"])} for each in spec["params"]],
    }
