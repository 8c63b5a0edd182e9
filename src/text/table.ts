import { stripVTControlCharacters } from 'node:util'
import { NOT_COMMITTED, NOTHING_COMMITTED } from '../core/uncommitted.ts'
import { printableLine } from './terminal-text.ts'

/** Rows as columns two spaces apart; colours have no width. The last column is not padded. */
export function columns(rows: readonly string[][]): string {
  const widths: number[] = []
  const width = (text: string) => stripVTControlCharacters(text).length
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, width(cell))
    })
  }
  const padded = (cell: string, index: number) => cell + ' '.repeat((widths[index] ?? 0) - width(cell))
  return rows.map(row => [...row.slice(0, -1).map(padded), row.at(-1) ?? ''].join('  ').trimEnd()).join('\n')
}

/** A number with its unit in the singular or plural. */
export const count = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`

/** The first ten digits of a commit id, or what stands in the place of a commit. */
export function shortCommit(commit: string): string {
  if (commit === NOT_COMMITTED) return 'uncommitted'
  return commit === NOTHING_COMMITTED ? 'no commit' : commit.slice(0, 10)
}

/** Changes that were read beyond a commit, as the end of a sentence; empty where none was. */
export const uncommittedText = (files: number | undefined): string =>
  files === undefined ? '' : ` with uncommitted changes in ${count(files, 'file')}`

/** A duration in milliseconds or seconds. */
export const milliseconds = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** `2026-01-31 12:00:00` of an RFC 3339 time in UTC; anything else as it is. */
export const timeText = (at: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(at) ? at.slice(0, 19).replace('T', ' ') : printableLine(at)

/** A size in the largest unit that fits. */
export function bytes(size: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, size < 1 ? 0 : Math.floor(Math.log2(size) / 10))
  return power === 0 ? `${size} bytes` : `${(size / 1024 ** power).toFixed(1)} ${units[power]}`
}
