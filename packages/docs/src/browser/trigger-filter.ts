/** Filters the table of test cards by words in any column and by processor. */
export function triggerFilter(): void {
  const box = document.querySelector<HTMLElement>('#trigger-filter');
  const input = document.querySelector<HTMLInputElement>('#trigger-words');
  const select = document.querySelector<HTMLSelectElement>('#trigger-processor');
  const count = document.querySelector<HTMLElement>('#trigger-count');
  if (box === null || input === null || select === null || count === null) return;
  const tables = [...document.querySelectorAll<HTMLElement>('.trigger-table')].map((table) => ({
    table,
    field: table.querySelector('p')?.textContent ?? '',
    rows: [...table.querySelectorAll<HTMLTableRowElement>('tbody tr')],
  }));
  const groups = [...document.querySelectorAll<HTMLElement>('.triggers')];
  const all = tables.flatMap(({ rows }) => rows).length;
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row: HTMLTableRowElement, field: string) => {
      const text = `${row.textContent} ${field}`.toLowerCase();
      const isOn = (row.cells[3]?.textContent ?? '').includes(select.value);
      return isOn && words.every((word) => text.includes(word));
    };
    for (const { table, field, rows } of tables) {
      for (const row of rows) row.hidden = !fits(row, field);
      table.hidden = rows.every((row) => row.hidden);
    }
    for (const group of groups) group.hidden = group.querySelector('.trigger-table:not([hidden])') === null;
    const shown = tables.flatMap(({ rows }) => rows.filter((row) => !row.hidden)).length;
    count.textContent = shown === 0 ? 'Nothing fits.' : `${shown} of ${all}`;
  };
  box.hidden = false;
  input.value = new URLSearchParams(location.search).get('find') ?? '';
  input.addEventListener('input', apply);
  select.addEventListener('input', apply);
  apply();
}
