function padded(cell: string, column: number, width = 0): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

/** Prints cells in columns, the first aligned to the left, the others to the right. */
export function table(rows: ReadonlyArray<readonly string[]>): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(row =>
      row
        .map((cell, column) => padded(cell, column, widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
