// SPDX-License-Identifier: BSD-2-Clause-Patent
// Makes the charts of a page interactive: all show the same range of frames, and there are a cursor
// and links to frames. Without this script the page shows the same charts, only static.
(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const root = document.documentElement, all = [data.first, Math.max(data.last, data.first + 1)];
  const TOP = 65534, GAP = 65535, WIDTH = 1000, HEIGHT = 100, COLUMNS = 1000;
  const off = new Set();
  let view = all, cursor = null, kept = null;

  for (const curve of data.curves) {
    const text = atob(curve.codes), codes = new Uint16Array(text.length / 2);
    for (let i = 0; i < codes.length; i++) codes[i] = text.charCodeAt(2 * i) | text.charCodeAt(2 * i + 1) << 8;
    curve.codes = codes;
  }
  const charts = [...document.querySelectorAll('.chart')].map((box) => ({
    plot: box.querySelector('.plot'), out: box.querySelector('output'), marks: box.querySelectorAll('.xs span'),
    line: box.querySelector('.cursor'), brush: box.querySelector('.brush'),
    low: +box.dataset.low, high: +box.dataset.high,
    curves: data.curves.filter((c) => c.metric === +box.dataset.metric).map((c) => ({
      ...c, path: box.querySelector(`.curve[data-video="${c.video}"]`) })),
  }));

  const value = (curve, code) => curve.low + code / TOP * (curve.high - curve.low);
  const indexOf = (curve, frame) => Math.round((frame - curve.first) / curve.step);
  const frameAt = (curve, i) => curve.first + i * curve.step;
  const show = (x) => x.toFixed(Math.abs(x) < 1 ? 4 : 2);

  // The score of a frame; for a reduced curve, the smallest and the largest score around it.
  function scores(curve, frame) {
    const i = indexOf(curve, frame);
    if (i < 0 || i >= curve.count) return [];
    const at = curve.per === 1 ? [i] : [Math.floor(i / curve.per) * 2, Math.floor(i / curve.per) * 2 + 1];
    return at.map((k) => curve.codes[k]).filter((c) => c !== GAP).map((c) => value(curve, c));
  }

  function time(frame, fine = 0) {
    if (!data.rate) return String(Math.round(frame));
    const s = frame / data.rate, two = (x) => String(Math.floor(x)).padStart(2, '0');
    const head = s >= 3600 ? `${Math.floor(s / 3600)}:${two(s / 60 % 60)}` : String(Math.floor(s / 60));
    return `${head}:${two(s % 60)}${fine ? '.' + String(Math.floor(s % 1 * 10 ** fine)).padStart(fine, '0') : ''}`;
  }

  // The visible part of the curve as a path. Where several frames fall on one column, their
  // extremes are drawn.
  function path(curve, low, high) {
    const [a, b] = view, per = curve.per, unit = curve.step * per, pair = per > 1;
    const count = pair ? curve.codes.length / 2 : curve.codes.length;
    const from = Math.max(0, Math.floor((a - curve.first) / unit) - 1);
    const to = Math.min(count - 1, Math.ceil((b - curve.first) / unit) + 1);
    const y = (code) => ((high - value(curve, code)) / (high - low) * HEIGHT).toFixed(2);
    let d = '', pen = false, column = null, least = 0, largest = 0, leastAt = 0, largestAt = 0;
    const end = () => {
      if (column === null) return;
      const points = leastAt <= largestAt ? [[leastAt, least], [largestAt, largest]] : [[largestAt, largest], [leastAt, least]];
      if (leastAt === largestAt && least === largest) points.pop();
      for (const [x, code] of points) {
        d += `${pen ? 'L' : 'M'}${x.toFixed(2)} ${y(code)}`;
        pen = true;
      }
      column = null;
    };
    for (let i = from; i <= to; i++) {
      const lo = curve.codes[pair ? 2 * i : i], hi = pair ? curve.codes[2 * i + 1] : lo;
      if (lo === GAP) { end(); pen = false; continue; }
      const x = (curve.first + (i + (pair ? .5 : 0)) * unit - a) / (b - a) * WIDTH, c = Math.floor(x * COLUMNS / WIDTH);
      if (c !== column) { end(); column = c; least = lo; largest = hi; leastAt = largestAt = x; }
      if (lo < least) { least = lo; leastAt = x; }
      if (hi > largest) { largest = hi; largestAt = x; }
    }
    end();
    return d;
  }

  function drawCurves() {
    for (const chart of charts) {
      for (const curve of chart.curves) {
        curve.path.classList.toggle('off', off.has(curve.video));
        curve.path.setAttribute('d', path(curve, chart.low, chart.high));
      }
      chart.marks.forEach((mark, i) => {
        mark.textContent = time(view[0] + (view[1] - view[0]) * i / (chart.marks.length - 1), view[1] - view[0] < 16 * data.rate ? 2 : 0);
      });
    }
    document.querySelectorAll('.bars, tbody tr[data-video]').forEach((e) => e.classList.toggle('off', off.has(+e.dataset.video)));
    root.dataset.view = view.map(Math.round).join(' ');
  }

  function drawCursor() {
    const frame = cursor ?? kept;
    for (const chart of charts) {
      const x = frame === null ? -1 : (frame - view[0]) / (view[1] - view[0]) * WIDTH;
      chart.line.setAttribute('d', x >= 0 && x <= WIDTH ? `M${x.toFixed(2)} 0V${HEIGHT}` : '');
      chart.out.textContent = '';
      if (frame === null) continue;
      for (const curve of chart.curves) {
        const found = off.has(curve.video) ? [] : scores(curve, frame);
        if (!found.length) continue;
        const item = document.createElement('span'), number = document.createElement('b');
        if (data.videos.length > 1) {
          const dot = document.createElement('i');
          item.className = 'c' + curve.video % 8;
          item.append(dot);
        }
        number.textContent = found.length > 1 && found[0] !== found[1] ? `${show(found[0])} … ${show(found[1])}` : show(found[0]);
        item.append(number);
        chart.out.append(item);
      }
    }
    document.querySelector('.where').textContent = frame === null ? '' : `frame ${frame}${data.rate ? ', ' + time(frame, 3) : ''}`;
    root.dataset.cursor = frame ?? '';
  }

  let waiting = false, stale = false;
  function draw(curves) {
    stale = stale || curves;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (stale) drawCurves();
      stale = false;
      drawCursor();
    });
  }

  function look(a, b) {
    const least = Math.min(8, all[1] - all[0]), width = Math.min(Math.max(b - a, least), all[1] - all[0]);
    const start = Math.min(Math.max((a + b - width) / 2, all[0]), all[1] - width);
    view = [start, start + width];
    draw(true);
  }
  function zoom(factor, around = kept ?? (view[0] + view[1]) / 2) {
    const at = Math.min(Math.max(around, view[0]), view[1]);
    look(at - (at - view[0]) * factor, at + (view[1] - at) * factor);
  }
  const move = (part) => look(view[0] + (view[1] - view[0]) * part, view[1] + (view[1] - view[0]) * part);

  // The frame under the pointer; if there are several, the one with the lowest score, which readers
  // look for.
  function pointed(chart, x) {
    const box = chart.plot.getBoundingClientRect(), width = view[1] - view[0];
    const a = view[0] + (x - box.left) / box.width * width, half = width / box.width;
    const curve = chart.curves.find((c) => !off.has(c.video));
    const near = Math.round(Math.min(Math.max(a, all[0]), all[1]));
    if (!curve || curve.per > 1) return near;
    let best = Math.min(Math.max(indexOf(curve, a), 0), curve.count - 1);
    const to = Math.min(indexOf(curve, a + half), curve.count - 1);
    for (let i = Math.max(indexOf(curve, a - half), 0); i <= to; i++)
      if (curve.codes[i] < curve.codes[best]) best = i;
    return frameAt(curve, best);
  }

  function keep(frame) {
    kept = frame;
    history.replaceState(null, '', '#frame=' + frame);
    mark();
    draw(false);
  }
  function mark() {
    document.querySelectorAll('figure').forEach((f) => f.classList.toggle('marked', kept !== null && +f.dataset.frame === kept));
  }
  function follow() {
    const found = /^#frame=(\d+)$/.exec(location.hash);
    if (!found) return;
    kept = Math.min(Math.max(+found[1], all[0]), all[1]);
    const width = Math.min(view[1] - view[0], data.rate ? data.rate * 20 : 500);
    look(kept - width / 2, kept + width / 2);
    mark();
    document.getElementById('frames').scrollIntoView();
  }

  for (const chart of charts) {
    const { plot, brush } = chart;
    let start = null;
    const part = (x) => Math.min(Math.max((x - plot.getBoundingClientRect().left) / plot.clientWidth, 0), 1);
    plot.addEventListener('pointermove', (e) => {
      cursor = pointed(chart, e.clientX);
      if (start !== null && e.pointerType !== 'touch' && Math.abs(e.clientX - start) > 4) {
        const [a, b] = [part(start), part(e.clientX)].sort((p, q) => p - q);
        brush.hidden = false;
        brush.style.left = a * 100 + '%';
        brush.style.width = (b - a) * 100 + '%';
      }
      draw(false);
    });
    plot.addEventListener('pointerdown', (e) => {
      if (e.button) return;
      start = e.clientX;
      try { plot.setPointerCapture(e.pointerId); } catch { /* the pointer is gone already */ }
    });
    plot.addEventListener('pointerup', (e) => {
      if (start === null) return;
      const [a, b] = [part(start), part(e.clientX)].sort((p, q) => p - q), width = view[1] - view[0];
      const dragged = !brush.hidden;
      start = null;
      brush.hidden = true;
      if (dragged) look(view[0] + a * width, view[0] + b * width);
      else keep(pointed(chart, e.clientX));
    });
    plot.addEventListener('pointercancel', () => { start = null; brush.hidden = true; });
    plot.addEventListener('pointerleave', () => { if (start === null) { cursor = null; draw(false); } });
    plot.addEventListener('dblclick', () => look(...all));
    plot.addEventListener('wheel', (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      zoom(e.deltaY < 0 ? .8 : 1.25, view[0] + part(e.clientX) * (view[1] - view[0]));
    }, { passive: false });
    plot.addEventListener('keydown', (e) => {
      const step = (n) => keep(Math.min(Math.max((kept ?? Math.round(view[0])) + n, all[0]), data.last));
      const actions = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), PageUp: () => move(-.8), PageDown: () => move(.8),
        '+': () => zoom(.5), '-': () => zoom(2), 0: () => look(...all) };
      if (!actions[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      actions[e.key]();
    });
  }
  const actions = { in: () => zoom(.5), out: () => zoom(2), left: () => move(-.5), right: () => move(.5), all: () => look(...all) };
  document.querySelectorAll('[data-do]').forEach((b) => b.addEventListener('click', actions[b.dataset.do]));
  document.querySelectorAll('.legend input').forEach((box) => box.addEventListener('change', () => {
    if (box.checked) off.delete(+box.dataset.video); else off.add(+box.dataset.video);
    draw(true);
  }));

  document.querySelectorAll('.pair').forEach((pair) => {
    const slider = pair.querySelector('input');
    const set = () => pair.style.setProperty('--at', slider.value / 10 + '%');
    slider.addEventListener('input', set);
    pair.addEventListener('pointermove', (e) => {
      if (e.pointerType !== 'mouse') return;
      const box = pair.getBoundingClientRect();
      slider.value = (e.clientX - box.left) / box.width * 1000;
      set();
    });
    pair.querySelector('.enlarge').addEventListener('click', () => pair.closest('figure').classList.toggle('large'));
  });

  addEventListener('hashchange', follow);
  root.dataset.curves = charts.reduce((sum, c) => sum + c.curves.length, 0);
  drawCurves();
  follow();
  drawCursor();
  root.dataset.ready = 'yes';
})();
