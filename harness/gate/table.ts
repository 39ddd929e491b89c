/** Columns as wide as their widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const count = Math.max(0, ...rows.map((cells) => cells.length));
  const widths = Array.from({ length: count }, (_, i) => Math.max(...rows.map((cells) => cells[i]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
