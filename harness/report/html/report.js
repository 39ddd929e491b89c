/**
 * Filters, search and citations of the report. Runs in the browser, inside the file. Without it every case is there still.
 * The filter stands in the address (`#show=wrong&q=timeout`), so a view can be kept; `#case-ID` opens a case.
 */
(() => {
  const find = (id) => document.getElementById(id);
  const cases = [...document.querySelectorAll('.case')];
  const buttons = [...document.querySelectorAll('.filters [data-show]')];
  const [search, kind, split, openAll, other] = ['search', 'kind', 'split', 'open-all', 'other'].map(find);
  const texts = new Map();
  let show = '';

  document.documentElement.classList.add('js');

  function textOf(item) {
    if (!texts.has(item)) texts.set(item, `${item.id.slice(5)} ${item.textContent}`.toLowerCase());
    return texts.get(item);
  }

  function fits(item, words) {
    if (show !== '' && !item.dataset.flags.split(' ').includes(show)) return false;
    if (kind.value !== '' && item.dataset.kind !== kind.value) return false;
    if (split.value !== '' && item.dataset.split !== split.value) return false;
    return words.every((word) => textOf(item).includes(word));
  }

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of cases) {
      item.hidden = !fits(item, words);
      if (!item.hidden) shown += 1;
    }
    find('shown').textContent = shown === cases.length ? `${shown} cases` : `${shown} of ${cases.length} cases`;
    find('none').hidden = shown > 0;
    const named = buttons.some((button) => button !== other && button.dataset.show === show);
    other.hidden = named;
    if (!named) other.textContent = show.replace('_', ' ');
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button === other ? !named : button.dataset.show === show));
    }
    updateOpenAll();
  }

  function remember() {
    const state = new URLSearchParams();
    for (const [name, value] of Object.entries({ show, q: search.value, kind: kind.value, split: split.value })) {
      if (value !== '') state.set(name, value);
    }
    history.replaceState(null, '', `#${state}`);
  }

  function change() {
    apply();
    remember();
  }

  function reset() {
    show = '';
    for (const field of [search, kind, split]) field.value = '';
  }

  const visible = () => cases.filter((item) => !item.hidden);

  function updateOpenAll() {
    openAll.textContent = visible().every((item) => item.open) ? 'Close all' : 'Open all';
  }

  function reveal(target) {
    for (let node = target; node !== null; node = node.parentElement) {
      if (node.tagName === 'DETAILS') node.open = true;
    }
    if (target.closest('.case[hidden]') !== null) {
      reset();
      apply();
    }
    target.scrollIntoView({ block: 'nearest' });
    target.querySelector('summary')?.focus({ preventScroll: true });
  }

  function restore() {
    const hash = location.hash.slice(1);
    if (hash.startsWith('case-')) {
      const target = find(decodeURIComponent(hash));
      if (target !== null) reveal(target);
      target?.scrollIntoView();
      return;
    }
    const state = new URLSearchParams(hash);
    show = state.get('show') ?? '';
    search.value = state.get('q') ?? '';
    for (const [name, field] of Object.entries({ kind, split })) {
      const value = state.get(name) ?? '';
      field.value = [...field.options].some((option) => option.value === value) ? value : '';
    }
    apply();
  }

  document.addEventListener('click', (event) => {
    const cite = event.target.closest('a.cite');
    const button = event.target.closest('[data-show]');
    if (cite !== null) {
      const target = find(cite.getAttribute('href').slice(1));
      if (target !== null) {
        event.preventDefault();
        reveal(target);
      }
    } else if (button !== null) {
      if (button !== other) show = button.dataset.show;
      if (button.dataset.kind !== undefined) kind.value = button.dataset.kind;
      change();
      if (button.dataset.kind !== undefined) find('cases').focus();
    }
  });

  for (const [field, type] of [
    [search, 'input'],
    [kind, 'change'],
    [split, 'change'],
  ]) {
    field.addEventListener(type, change);
  }
  find('filters').addEventListener('submit', (event) => event.preventDefault());
  find('reset').addEventListener('click', () => {
    reset();
    change();
    search.focus();
  });
  openAll.addEventListener('click', () => {
    const open = !visible().every((item) => item.open);
    for (const item of visible()) item.open = open;
    updateOpenAll();
  });
  document.addEventListener('toggle', updateOpenAll, true);

  // On paper nothing can be unfolded: the cases shown are open, as they were before once it is printed.
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = visible().filter((item) => !item.open);
    for (const item of folded) item.open = true;
  });
  addEventListener('afterprint', () => {
    for (const item of folded) item.open = false;
  });
  addEventListener('hashchange', restore);
  if (location.hash !== '') restore();
})();
