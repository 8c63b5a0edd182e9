/** One instruction of a Dockerfile; `text` is what follows its name, with continued lines joined. */
interface Instruction {
  name: string
  text: string
  line: number
}

/** What begins with FROM and ends before the next. */
export interface Stage {
  /** null for one without a name. */
  name: string | null
  base: string
  instructions: Instruction[]
}

/** The instructions of a Dockerfile, without comments; a line that ends in a backslash goes on in the next. */
export function readInstructions(text: string): Instruction[] {
  const instructions: Instruction[] = []
  let open: { line: number; parts: string[] } | null = null
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*#/.test(line) || (open === null && line.trim() === '')) continue
    open ??= { line: index + 1, parts: [] }
    open.parts.push(line.trim().replace(/\\$/, '').trim())
    if (line.trimEnd().endsWith('\\')) continue
    const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(open.parts.join(' ').trim()) ?? []
    instructions.push({ name: name.toUpperCase(), text: rest, line: open.line })
    open = null
  }
  return instructions
}

/** Puts the values of variables into `${NAME}`; what is not known stays. */
const filledIn = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(/\$\{(\w+)\}/g, (whole, name: string) => values.get(name) ?? whole)

/** The stages of a Dockerfile. The ARG before the first FROM have their defaults, or the values given here. */
export function readStages(text: string, given: Record<string, string> = {}): Stage[] {
  const values = new Map<string, string>()
  const stages: Stage[] = []
  for (const instruction of readInstructions(text)) {
    const stage = stages.at(-1)
    if (instruction.name === 'FROM') {
      const [base = '', , name = null] = filledIn(instruction.text, values).split(/\s+/)
      stages.push({ name, base, instructions: [] })
    } else if (stage !== undefined) stage.instructions.push(instruction)
    else if (instruction.name === 'ARG') {
      const [name = '', fallback = ''] = instruction.text.split('=')
      values.set(name, given[name] ?? fallback)
    }
  }
  return stages
}

/** What a COPY takes from where, and puts where. */
export interface Copy {
  /** The stage it takes from; null for the folder of the build. */
  from: string | null
  sources: string[]
  target: string
}

/** Reads the text of a COPY. */
export function readCopy(text: string): Copy {
  const words = text.split(/\s+/)
  const from = words.find(word => word.startsWith('--from='))?.slice('--from='.length) ?? null
  const paths = words.filter(word => !word.startsWith('--'))
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' }
}

/** The variables of an ENV. */
export function readEnv(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.]+)=("[^"]*"|\S*)/g)].map(([, name, value = '']) => [name, value.replaceAll('"', '')]),
  )
}
