// SPDX-License-Identifier: BSD-2-Clause-Patent
// Shows the titles of a catalogue: totals, a histogram, and a table of which only the visible rows exist. The address
// holds the order and what is shown, so that it can be passed on.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const FIELDS = ['name', 'key', 'page', 'metric', 'score', 'p5', 'low', 'lowTime', 'before', 'beforeP5', 'change', 'codec',
    'width', 'height', 'rate', 'seconds', 'frames', 'incomplete', 'codes'];
  const titles = data.titles.map((values, number) => {
    const title = { number };
    FIELDS.forEach((field, i) => { title[field] = values[i] === 'inf' ? Infinity : values[i]; });
    title.pixels = title.width * title.height;
    title.text = [title.key, title.name, title.codec, `${title.width}x${title.height}`, title.metric, title.codes,
      title.incomplete ? 'incomplete' : ''].join(' ').toLowerCase();
    return title;
  });
  const metrics = [...new Set(titles.map((title) => title.metric))];

  // ---- texts ----

  const figure = (value) => value === null ? '–' : value === Infinity ? '∞' : value.toFixed(Math.abs(value) < 1 && value ? 4 : 2);
  const change = (value) => value === null ? '' : (value > 0 ? '+' : value < 0 ? '−' : '±') + (Number.isFinite(value) ? Math.abs(value).toFixed(2) : '∞');
  const quantity = (value, unit) => {
    const prefixes = ['', 'k', 'M', 'G', 'T'];
    let at = 0;
    if (!value) return '–';
    for (; value >= 999.5 && at < 4; at++) value /= 1000;
    return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${prefixes[at]}${unit}`;
  };
  const clock = (value) => {
    if (value === null) return '–';
    const whole = Math.round(value), two = (n) => String(n).padStart(2, '0');
    return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  };
  const isWorse = (title) => title.change !== null && title.change < -data.drop;
  const isBetter = (title) => title.change !== null && title.change > data.drop;
  const marks = (title) => [title.incomplete ? 'incomplete' : '', title.codes.replace(/_/g, ' ').trim()].filter(Boolean).join(', ');

  // ---- columns ----

  const COLUMNS = [
    { id: 'title', label: 'title', kind: 'title', size: 'minmax(15rem, 5fr)', up: true, sort: (t) => t.key },
    { id: 'score', label: metrics.length === 1 ? metrics[0] : 'score', kind: 'score', size: 'minmax(4rem, 5rem)', sort: (t) => t.score,
      text: (t) => figure(t.score) },
    { id: 'change', label: 'change', kind: 'change', size: '4.5rem', up: true, only: data.baseline, sort: (t) => t.change,
      text: (t) => change(t.change), class: (t) => isWorse(t) ? 'worse' : isBetter(t) ? 'better' : t.change === null ? 'blank' : '',
      title: (t) => t.change === null ? 'not in the baseline' : `before: ${figure(t.before)}, p5 ${figure(t.beforeP5)}` },
    { id: 'p5', label: 'p5', kind: 'p5', size: '4rem', up: true, sort: (t) => t.p5, text: (t) => figure(t.p5), short: 'p5' },
    { id: 'low', label: 'lowest', kind: 'low', size: '4rem', up: true, sort: (t) => t.low, text: (t) => figure(t.low),
      title: (t) => t.lowTime === null ? '' : `at ${clock(t.lowTime)}` },
    { id: 'codec', label: 'codec', kind: 'word codec', size: '4rem', up: true, sort: (t) => t.codec || null, text: (t) => t.codec || '–' },
    { id: 'size', label: 'size', kind: 'size', size: '6rem', sort: (t) => t.pixels || null, text: (t) => t.pixels ? `${t.width}×${t.height}` : '–' },
    { id: 'rate', label: 'bit rate', kind: 'rate', size: '6rem', sort: (t) => t.rate || null, text: (t) => quantity(t.rate, 'bit/s') },
    { id: 'length', label: 'length', kind: 'length', size: '4rem', sort: (t) => t.seconds, text: (t) => clock(t.seconds) },
    { id: 'frames', label: 'frames', kind: 'frames', size: '3.5rem', sort: (t) => t.frames, text: (t) => String(t.frames) },
    { id: 'warnings', label: 'warnings', kind: 'word mark', size: 'minmax(5rem, 1fr)', sort: (t) => marks(t) || null, text: marks,
      up: true, class: (t) => marks(t) ? '' : 'blank', title: marks },
  ].filter((column) => column.only !== false);

  const KINDS = [
    { id: 'worse', label: 'worse than the baseline', test: isWorse, only: data.baseline },
    { id: 'better', label: 'better', test: isBetter, only: data.baseline },
    { id: 'new', label: 'not in the baseline', test: (t) => t.change === null, only: data.baseline },
    { id: 'warned', label: 'with warnings', test: (t) => Boolean(marks(t)) },
  ].filter((kind) => kind.only !== false && titles.some(kind.test));

  // ---- what is shown ----

  const state = { sort: data.baseline ? 'change' : 'score', down: false, find: '', kind: '', from: null, to: null };

  function readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const sort = words.get('sort') || '';
    const column = COLUMNS.find((c) => c.id === sort.replace(/^-/, ''));
    if (column) Object.assign(state, { sort: column.id, down: sort.startsWith('-') });
    state.find = words.get('find') || '';
    state.kind = KINDS.some((kind) => kind.id === words.get('only')) ? words.get('only') : '';
    const [from, to] = (words.get('range') || '').split('_').map(Number);
    [state.from, state.to] = Number.isFinite(from) && Number.isFinite(to) && words.get('range') ? [from, to] : [null, null];
  }

  function writeAddress() {
    const words = new URLSearchParams();
    words.set('sort', (state.down ? '-' : '') + state.sort);
    if (state.find) words.set('find', state.find);
    if (state.kind) words.set('only', state.kind);
    if (state.from !== null) words.set('range', `${state.from}_${state.to}`);
    history.replaceState(null, '', `#${words}`);
  }

  let rows = [];

  function choose() {
    const words = state.find.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = KINDS.find((k) => k.id === state.kind);
    const column = COLUMNS.find((c) => c.id === state.sort);
    const sign = state.down ? -1 : 1;
    rows = titles.filter((title) => words.every((word) => title.text.includes(word)) && (!kind || kind.test(title)) &&
      (state.from === null || (title.score !== null && title.score >= state.from && title.score < state.to)));
    const keys = new Map(rows.map((title) => [title, column.sort(title)]));
    rows.sort((a, b) => {
      const x = keys.get(a), y = keys.get(b);
      if (x === null || y === null) return (x === null) - (y === null) || a.number - b.number; // titles without a value come last
      return (x < y ? -sign : x > y ? sign : 0) || a.number - b.number;
    });
  }

  // ---- the table ----

  const list = byId('list');
  const head = document.createElement('div');
  const body = document.createElement('div');
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  function makeHead() {
    list.style.setProperty('--columns', COLUMNS.map((column) => column.size).join(' '));
    head.className = 'row head';
    head.setAttribute('role', 'row');
    for (const column of COLUMNS) {
      const cell = make('div', column.kind);
      const button = make('button', '', column.label);
      cell.setAttribute('role', 'columnheader');
      cell.dataset.column = column.id;
      button.type = 'button';
      button.onclick = () => {
        state.down = state.sort === column.id ? !state.down : !column.up;
        state.sort = column.id;
        refresh();
      };
      cell.append(button);
      head.append(cell);
    }
    body.className = 'body';
    body.setAttribute('role', 'rowgroup');
    list.append(head, body);
  }

  function makeRow(title, at) {
    const row = make('div', 'row');
    row.setAttribute('role', 'row');
    row.setAttribute('aria-rowindex', at + 2);
    row.style.top = `${at * height}px`;
    for (const column of COLUMNS) {
      const cell = make('div', column.kind);
      cell.setAttribute('role', 'cell');
      if (column.id === 'title') {
        const link = make('a', '', title.name);
        link.href = title.page;
        cell.title = title.key;
        cell.append(link);
        const folder = title.key.includes('/') ? title.key.slice(0, title.key.lastIndexOf('/')) : '';
        if (folder) cell.append(make('small', '', folder));
      } else {
        cell.textContent = column.text(title);
        if (column.class) cell.className += ` ${column.class(title)}`;
        if (column.title) cell.title = column.title(title);
        if (column.short) cell.dataset.label = column.short;
      }
      if (column.id === 'score' && metrics.length > 1) cell.title = title.metric;
      row.append(cell);
    }
    return row;
  }

  let height = 36, drawn = '';

  // Makes the rows that are visible, and some around them.
  function draw() {
    const top = body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / height) - 10);
    const last = Math.min(rows.length, Math.ceil((innerHeight - top) / height) + 10);
    const now = `${first} ${last}`;
    if (now === drawn) return;
    drawn = now;
    body.replaceChildren(...rows.slice(first, last).map((title, i) => makeRow(title, first + i)));
    if (!rows.length) body.append(make('p', 'none', 'No title is like that.'));
  }

  // ---- the rest ----

  function makeTotals() {
    const scores = titles.map((title) => title.score).filter((score) => score !== null && Number.isFinite(score)).sort((a, b) => a - b);
    const add = (label, value, bad) => {
      const box = make('div', bad ? 'bad' : '');
      box.append(make('dt', '', label), make('dd', '', value));
      byId('totals').append(box);
    };
    add('titles', String(titles.length));
    if (scores.length && metrics.length === 1) {
      add(`mean ${metrics[0]}`, figure(scores.reduce((sum, score) => sum + score, 0) / scores.length));
      add('median', figure(scores.length % 2 ? scores[(scores.length - 1) / 2] : (scores[scores.length / 2 - 1] + scores[scores.length / 2]) / 2));
      add('lowest', figure(scores[0]));
    }
    if (data.baseline) {
      const worse = titles.filter(isWorse).length;
      add('worse', String(worse), worse > 0);
      add('better', String(titles.filter(isBetter).length));
      add('not in the baseline', String(titles.filter((t) => t.change === null).length));
    }
    const warned = titles.filter((title) => marks(title)).length;
    if (warned) add('with warnings', String(warned));
    const seconds = titles.reduce((sum, title) => sum + (title.seconds || 0), 0);
    byId('about').textContent = seconds ? `${clock(seconds)} of video` : '';
    if (metrics.length > 1) byId('about').textContent += `, scored by ${metrics.join(', ')}`;
  }

  // A step of 1, 2 or 5 times a power of ten, for about 40 bars.
  function stepFor(span) {
    const power = 10 ** Math.floor(Math.log10(span / 40));
    return power * ([1, 2, 5, 10].find((n) => n * power * 40 >= span) || 10);
  }

  function makeBars() {
    const scores = titles.map((title) => title.score).filter((score) => score !== null && Number.isFinite(score));
    const low = Math.min(...scores.slice(0, 1)), bars = byId('bars');
    if (!scores.length || metrics.length > 1) {
      byId('distribution').remove();
      return;
    }
    let [min, max] = [low, low];
    for (const score of scores) [min, max] = [Math.min(min, score), Math.max(max, score)];
    const step = stepFor(Math.max(max - min, 1e-3)), begin = Math.floor(min / step), count = Math.floor(max / step) - begin + 1;
    const counts = new Array(count).fill(0);
    for (const score of scores) counts[Math.floor(score / step) - begin]++;
    const most = Math.max(...counts), place = (n) => Number(((begin + n) * step).toPrecision(12));
    document.querySelector('#distribution small').textContent = `titles in steps of ${Number(step.toPrecision(3))}; click a bar to see them`;
    const each = Math.ceil(count / (innerWidth < 600 ? 5 : 10));
    counts.forEach((number, i) => {
      const bar = make('button');
      bar.type = 'button';
      bar.style.setProperty('--h', `${number ? Math.max(1.5, number / most * 100) : 0}%`);
      bar.title = `${place(i)} to ${place(i + 1)}: ${number} title${number === 1 ? '' : 's'}`;
      bar.setAttribute('aria-label', bar.title);
      bar.dataset.from = place(i);
      bar.dataset.to = place(i + 1);
      bar.onclick = () => {
        const chosen = state.from === place(i) && state.to === place(i + 1);
        [state.from, state.to] = chosen ? [null, null] : [place(i), place(i + 1)];
        refresh();
      };
      if (i % each === 0) bar.append(make('span', '', String(place(i))));
      bars.append(bar);
    });
  }

  function makeTools() {
    for (const kind of KINDS) {
      const button = make('button', '', kind.label);
      button.type = 'button';
      button.dataset.kind = kind.id;
      button.onclick = () => {
        state.kind = state.kind === kind.id ? '' : kind.id;
        refresh();
      };
      byId('kinds').append(button);
    }
    for (const column of COLUMNS) {
      for (const down of column.up ? [false, true] : [true, false]) {
        const option = make('option', '', `${column.label} ${down ? '↓' : '↑'}`);
        option.value = (down ? '-' : '') + column.id;
        byId('sort').append(option);
      }
    }
    byId('sort').onchange = () => {
      const value = byId('sort').value;
      Object.assign(state, { sort: value.replace(/^-/, ''), down: value.startsWith('-') });
      refresh();
    };
    byId('find').oninput = () => {
      state.find = byId('find').value;
      refresh();
    };
    byId('tools').onsubmit = (event) => event.preventDefault();
  }

  function show() {
    choose();
    if (byId('find').value !== state.find) byId('find').value = state.find;
    byId('sort').value = (state.down ? '-' : '') + state.sort;
    for (const cell of head.children) {
      const own = cell.dataset.column === state.sort;
      if (own) cell.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
      const label = COLUMNS.find((column) => column.id === cell.dataset.column).label;
      cell.firstChild.textContent = own ? `${label} ${state.down ? '↓' : '↑'}` : label;
    }
    for (const button of byId('kinds').children) button.setAttribute('aria-pressed', button.dataset.kind === state.kind);
    byId('bars')?.classList.toggle('chosen', state.from !== null);
    for (const bar of byId('bars')?.children || []) bar.setAttribute('aria-pressed', state.from !== null && Number(bar.dataset.from) >= state.from && Number(bar.dataset.to) <= state.to);
    byId('shown').textContent = rows.length === titles.length ? '' : `${rows.length} of ${titles.length}`;
    list.setAttribute('aria-rowcount', rows.length + 1);
    body.style.height = `${Math.max(rows.length, 1) * height}px`;
    document.documentElement.dataset.shown = rows.length;
    drawn = '';
    draw();
  }

  function refresh() {
    writeAddress();
    show();
  }

  function measure() {
    const sample = make('div', 'row');
    body.append(sample);
    height = sample.getBoundingClientRect().height;
    sample.remove();
    show();
  }

  readAddress();
  makeHead();
  makeTotals();
  makeBars();
  makeTools();
  measure();
  addEventListener('scroll', draw, { passive: true });
  addEventListener('resize', measure);
  addEventListener('hashchange', () => { readAddress(); show(); });
  document.documentElement.dataset.ready = 'yes';
})();
