// Figures of the source tree: npm run figures -- [FOLDER] [--json] [--against FOLDER|COMMIT]
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readCheckout } from './figures/checkout.ts'
import { formatSources } from './figures/format.ts'
import { measureHouse, measureLines, type Figures } from './figures/measure.ts'
import { movesBetween } from './figures/moves.ts'
import { checkOut } from './figures/worktree.ts'

const USAGE = `Usage: npm run figures -- [FOLDER] [--json] [--against FOLDER|COMMIT]

Prints figures of the checkout in FOLDER, the present one by default. Lines of code are counted as Prettier sets
them, with the options of this project, so that those of any two checkouts compare.

  --against FOLDER|COMMIT  adds a column of an older checkout, or of a commit, before them; its files count
                           in the folders where they stand today
  --json                   prints an object of figures by name
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
})

function asJson(...columns: Figures[]): string {
  const objects = columns.map(figures => Object.fromEntries(figures))
  return `${JSON.stringify(objects.length === 1 ? objects[0] : objects, null, 2)}\n`
}

function table(head: readonly string[], columns: readonly Figures[]): string {
  const names = new Set(columns.flatMap(figures => [...figures.keys()]))
  const rows = [...names].map(name => [name, ...columns.map(figures => figures.get(name) ?? '–')])
  const lines = [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
  return lines.map(cells => `| ${cells.join(' | ')} |\n`).join('')
}

async function figuresOf(folder: string, placeOf?: (path: string) => string): Promise<Figures> {
  const checkout = readCheckout(folder)
  return new Map([...measureHouse(checkout), ...measureLines(await formatSources(checkout.sources), placeOf)])
}

async function report(
  folder: string,
  { against, json = false }: { against?: string; json?: boolean },
): Promise<string> {
  const now = await figuresOf(folder)
  if (against === undefined) return json ? asJson(now) : table(['figure', ''], [now])
  using worktree = existsSync(against) ? { folder: against, [Symbol.dispose]() {} } : checkOut(folder, against)
  const moves = movesBetween(worktree.folder, folder)
  const before = await figuresOf(worktree.folder, path => moves.get(path) ?? path)
  return json ? asJson(before, now) : table(['figure', 'before', 'after'], [before, now])
}

const [folder = '.'] = positionals
process.stdout.write(values.help ? USAGE : await report(folder, values))
