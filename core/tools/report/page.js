// SPDX-License-Identifier: BSD-2-Clause-Patent
// Makes the charts of a page interactive: all show the same range of frames, and there are a cursor
// and links to frames. Without this script the page shows the same charts, only static.
(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const root = document.documentElement, all = [data.first, Math.max(data.last, data.first + 1)];
  const TOP = 65534, GAP = 65535, WIDTH = 1000, HEIGHT = 100, COLUMNS = 250, DENSE = 4;
  // The figures of a group of frames in a reduced curve.
  const FIGURES = 5, MIN = 0, P5 = 1, MEAN = 2, P95 = 3, MAX = 4;
  const off = new Set();
  let view = all, cursor = null, kept = null;

  for (const curve of data.curves) {
    const text = atob(curve.codes), codes = new Uint16Array(text.length / 2);
    for (let i = 0; i < codes.length; i++) codes[i] = text.charCodeAt(2 * i) | text.charCodeAt(2 * i + 1) << 8;
    curve.codes = codes;
  }
  // When frames are shown, on a reference's own clock: the times of some frames, and the frame at a time.
  const clock = data.clock && (() => {
    const { first, step, count, rate, start, every, distances } = data.clock, times = new Float64Array(count);
    if (distances) {
      const text = atob(distances);
      let now = Math.round(start * 1000), i = 0;
      times[i++] = now / 1000;
      for (let at = 0; at < text.length && i < count; at += 2) {
        const ms = text.charCodeAt(at) | text.charCodeAt(at + 1) << 8;
        now += ms;
        if (ms < 65535) times[i++] = now / 1000;
      }
    } else {
      for (let i = 0; i < count; i++) times[i] = start + i * every;
    }
    const last = count - 1, between = (a, b, part) => a + part * (b - a);
    return {
      rate,
      time(frame) {
        const at = (frame - first) / step, i = Math.min(Math.max(Math.floor(at), 0), last);
        if (at < 0 || i === last) return times[i] + (at - i) * step / rate;
        return between(times[i], times[i + 1], at - i);
      },
      frame(time) {
        if (time <= times[0] || time >= times[last]) {
          const i = time <= times[0] ? 0 : last;
          return first + i * step + (time - times[i]) * rate;
        }
        let low = 0, high = last;
        while (high - low > 1) {
          const middle = low + high >> 1;
          if (times[middle] <= time) low = middle; else high = middle;
        }
        return first + step * between(low, high, times[high] > times[low] ? (time - times[low]) / (times[high] - times[low]) : 0);
      },
    };
  })();
  const charts = [...document.querySelectorAll('.chart')].map((box) => ({
    plot: box.querySelector('.plot'), out: box.querySelector('output'), marks: box.querySelector('.xs'),
    line: box.querySelector('.cursor'), shots: box.querySelector('.shots'), brush: box.querySelector('.brush'),
    low: +box.dataset.low, high: +box.dataset.high,
    curves: data.curves.filter((c) => c.metric === +box.dataset.metric).map((c) => ({
      ...c, paths: ['range', 'band', 'curve'].map((layer) => box.querySelector(`.${layer}[data-video="${c.video}"]`)) })),
  }));

  const value = (curve, code) => curve.low + code / TOP * (curve.high - curve.low);
  const indexOf = (curve, frame) => Math.round((frame - curve.first) / curve.step);
  const frameAt = (curve, i) => curve.first + i * curve.step;
  const show = (x) => x.toFixed(Math.abs(x) < 1 ? 4 : 2);

  // The score of a frame; for a reduced curve, the smallest and the largest score around it.
  function scores(curve, frame) {
    const i = indexOf(curve, frame);
    if (i < 0 || i >= curve.count) return [];
    const group = Math.floor(i / curve.per) * FIGURES, at = curve.per === 1 ? [i] : [group + MIN, group + MAX];
    return at.map((k) => curve.codes[k]).filter((c) => c !== GAP).map((c) => value(curve, c));
  }

  // Seconds as 1:02:03, with so many decimals.
  function time(seconds, decimals = 0) {
    const parts = 10 ** decimals, all = Math.round(Math.abs(seconds) * parts), s = Math.floor(all / parts);
    const two = (x) => String(Math.floor(x)).padStart(2, '0'), sign = seconds < 0 && all ? '-' : '';
    const head = s >= 3600 ? `${Math.floor(s / 3600)}:${two(s / 60 % 60)}` : String(Math.floor(s / 60));
    return `${sign}${head}:${two(s % 60)}${decimals ? '.' + String(all % parts).padStart(decimals, '0') : ''}`;
  }

  const height = (chart, score) => ((chart.high - score) / (chart.high - chart.low) * HEIGHT).toFixed(2);
  const across = (frame) => (frame - view[0]) / (view[1] - view[0]) * WIDTH;

  // The visible part of a curve, frame by frame.
  function line(curve, chart) {
    const from = Math.max(0, Math.floor((view[0] - curve.first) / curve.step) - 1);
    const to = Math.min(curve.count - 1, Math.ceil((view[1] - curve.first) / curve.step) + 1);
    let d = '', pen = false;
    for (let i = from; i <= to; i++) {
      const code = curve.codes[i];
      if (code !== GAP) d += `${pen ? 'L' : 'M'}${across(frameAt(curve, i)).toFixed(2)} ${height(chart, value(curve, code))}`;
      pen = code !== GAP;
    }
    return d;
  }

  // The figures of the scores in each visible column, or of the groups of a reduced curve in it: then the outer
  // figures are exact, and the others are means of the groups' figures. null: a gap.
  function columns(curve) {
    const found = Array(COLUMNS).fill(null), width = (view[1] - view[0]) / COLUMNS, pair = curve.per > 1, size = pair ? FIGURES : 1;
    const unit = curve.step * curve.per, last = curve.codes.length / size - 1;
    const index = (frame) => Math.min(Math.max(Math.ceil((frame - curve.first) / unit - 1e-9), 0), last + 1);
    for (let c = 0; c < COLUMNS; c++) {
      const from = index(view[0] + c * width), to = c === COLUMNS - 1 ? index(view[1] + unit / 2) : index(view[0] + (c + 1) * width);
      if (pair) {
        const sums = [TOP, 0, 0, 0, 0];
        let groups = 0;
        for (let g = from; g < to; g++) {
          const at = g * FIGURES, codes = curve.codes;
          if (codes[at] === GAP) continue;
          sums[MIN] = Math.min(sums[MIN], codes[at + MIN]);
          sums[MAX] = Math.max(sums[MAX], codes[at + MAX]);
          for (const f of [P5, MEAN, P95]) sums[f] += codes[at + f];
          groups++;
        }
        if (groups) found[c] = sums.map((x, f) => value(curve, f === MIN || f === MAX ? x : x / groups));
        continue;
      }
      const sorted = curve.codes.slice(from, to).sort();
      let count = sorted.length, sum = 0;
      while (count && sorted[count - 1] === GAP) count--;
      for (let i = 0; i < count; i++) sum += sorted[i];
      const rank = (part) => {
        const at = part * (count - 1), low = Math.floor(at);
        return sorted[low] + (at - low) * (sorted[Math.min(low + 1, count - 1)] - sorted[low]);
      };
      if (count) found[c] = [sorted[0], rank(.05), sum / count, rank(.95), sorted[count - 1]].map((x) => value(curve, x));
    }
    return found;
  }

  // The line of a figure, or the area between two of them, through all columns.
  function edge(found, chart, from, to, figure, letter) {
    let d = '';
    for (let c = from; from < to ? c < to : c > to; c += from < to ? 1 : -1) {
      d += `${letter}${((c + .5) / COLUMNS * WIDTH).toFixed(1)} ${height(chart, found[c][figure])}`;
      letter = 'L';
    }
    return d;
  }
  function through(found, chart, low, high = null) {
    let d = '';
    for (let from = 0; from < COLUMNS; from++) {
      let to = from;
      while (to < COLUMNS && found[to]) to++;
      if (to > from) {
        d += edge(found, chart, from, to, low, 'M');
        if (high !== null) d += edge(found, chart, to - 1, from - 1, high, 'L') + 'Z';
      }
      from = to;
    }
    return d;
  }

  function drawCurve(curve, chart) {
    const dense = curve.per > 1 || (view[1] - view[0] + 1) / curve.step >= COLUMNS * DENSE;
    const found = dense ? columns(curve) : null;
    const drawn = dense ? [through(found, chart, MIN, MAX), through(found, chart, P5, P95), through(found, chart, MEAN)]
      : ['', '', line(curve, chart)];
    curve.paths.forEach((path, layer) => path.setAttribute('d', drawn[layer]));
  }

  // Marks at round times or frame numbers, as many as there is room for.
  const CLOCK = [.1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  function drawMarks(chart) {
    const [from, to] = clock ? view.map(clock.time) : view;
    const least = (to - from) / Math.max(2, Math.min(12, Math.floor(chart.plot.clientWidth / 90)));
    const power = 10 ** Math.floor(Math.log10(least));
    const step = clock ? CLOCK.find((s) => s >= least) ?? Math.ceil(least / 86400) * 86400
      : Math.max(1, [1, 2, 5, 10].find((s) => s * power >= least * (1 - 1e-9)) * power);
    const marks = [];
    for (let n = Math.ceil(from / step - 1e-9); n * step <= to + 1e-9 * step; n++) {
      const mark = document.createElement('span');
      mark.style.left = across(clock ? clock.frame(n * step) : n * step) / WIDTH * 100 + '%';
      mark.textContent = clock ? time(n * step, step < 1 ? 1 : 0) : String(n * step);
      marks.push(mark);
    }
    chart.marks.replaceChildren(...marks);
  }

  // Every second shot, as far as it is visible.
  function shaded() {
    const clip = (x) => Math.min(Math.max(x, 0), WIDTH).toFixed(2);
    let d = '';
    for (let i = 1; i < data.shots.length; i += 2) {
      const a = clip(across(data.shots[i] - .5)), b = clip(across((data.shots[i + 1] ?? data.last + 1) - .5));
      if (a !== b) d += `M${a} 0H${b}V${HEIGHT}H${a}Z`;
    }
    return d;
  }

  function drawCurves() {
    const shots = shaded();
    for (const chart of charts) {
      for (const curve of chart.curves) {
        for (const path of curve.paths) path.classList.toggle('off', off.has(curve.video));
        if (!off.has(curve.video)) drawCurve(curve, chart);
      }
      if (chart.shots) chart.shots.setAttribute('d', shots);
      drawMarks(chart);
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
          item.className = 'c' + curve.video % 12;
          item.append(dot);
        }
        number.textContent = found.length > 1 && found[0] !== found[1] ? `${show(found[0])} … ${show(found[1])}` : show(found[0]);
        item.append(number);
        chart.out.append(item);
      }
    }
    document.querySelector('.where').textContent = frame === null ? '' : `frame ${frame}${clock ? ', ' + time(clock.time(frame), 3) : ''}`;
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
    const width = Math.min(view[1] - view[0], clock ? clock.rate * 20 : 500);
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
    const slider = pair.querySelector('input'), enlarge = pair.querySelector('.enlarge');
    const set = (percent) => pair.style.setProperty('--at', percent + '%');
    slider.addEventListener('input', () => set(slider.value));
    pair.addEventListener('pointermove', (e) => {
      if (e.pointerType !== 'mouse') return;
      const box = pair.getBoundingClientRect();
      slider.value = (e.clientX - box.left) / box.width * 100;
      set((e.clientX - box.left) / box.width * 100);
    });
    enlarge.addEventListener('click', () => enlarge.setAttribute('aria-pressed', pair.closest('figure').classList.toggle('large')));
  });

  const choice = document.getElementById('map'), opacity = document.getElementById('opacity');
  const veil = () => root.style.setProperty('--veil', opacity.value / 100);
  function showMap() {
    const chosen = choice.selectedOptions[0], scale = document.querySelector('.scale');
    document.querySelectorAll('.pair .map').forEach((map) => { map.hidden = map.dataset.map !== choice.value; });
    document.querySelectorAll('.mapped').forEach((text) => {
      const map = text.closest('figure').querySelector('.map:not([hidden])');
      text.textContent = map ? `${map.dataset.map} ${map.dataset.score}` : '';
    });
    scale.hidden = !choice.value;
    document.getElementById('best').textContent = chosen.dataset.best || '';
    document.getElementById('lost').textContent = chosen.dataset.worst || '';
  }
  if (choice) {
    choice.addEventListener('change', showMap);
    opacity.addEventListener('input', veil);
    veil();
    showMap();
  }

  addEventListener('hashchange', follow);
  addEventListener('resize', () => draw(true));
  root.dataset.curves = charts.reduce((sum, c) => sum + c.curves.length, 0);
  drawCurves();
  follow();
  drawCursor();
  root.dataset.ready = 'yes';
})();
