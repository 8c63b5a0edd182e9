import { styleUnits } from './style-units.ts'
import { namesOnly, pathOfUnit, type FileUnits, type Unit } from './unit.ts'

/** Elements that a page has once, or a few times, and that structure it. */
const STRUCTURE = /<(html|head|body|title|header|nav|main|footer|aside|form|template|style|script|table|svg|dialog)\b/gi
const TAG = /<([^<>]+)>/g
/** Attributes that name an element, or what it takes in. */
const NAMED = /\s(id|name|src|href|Include)\s*=\s*["']([^"']+)["']/g
const MAX_TAG = 2000
/** Elements of configurations in XML that are called by their text. */
const CALLED_BY_TEXT = /<(artifactId|groupId|name|key|id|string|PackageReference)>([^<]{1,200})</g
/** Elements in which attributes of links count: those in the text come and go. */
const LINKING: ReadonlySet<string> = new Set(['script', 'link', 'img', 'iframe', 'include', 'import'])

function attributeName(element: string, attribute: string, value: string): string | null {
  const isLink = attribute === 'src' || attribute === 'href'
  if (isLink && !LINKING.has(element.toLowerCase())) return null
  return attribute === 'id' ? `#${value}` : `<${element} ${attribute}="${value}">`
}

const STYLE_TAG = /<(\/?)style\b[^<>]*>/gi

/** The rules of the stylesheets in a page, by their selectors. */
function styleRules(page: string, parent: number): Unit[] {
  const rules: Unit[] = []
  let from: number | null = null
  let [line, seen] = [0, 0]
  for (const { 0: tag, 1: slash, index } of page.matchAll(STYLE_TAG)) {
    if (slash === '') from ??= index + tag.length
    else if (from !== null) {
      for (; seen < from; seen++) if (page[seen] === '\n') line++
      const { units } = styleUnits(page.slice(from, index))
      for (const [i, { start, last }] of units.entries()) {
        const name = pathOfUnit(units, i).join(' ')
        rules.push({ name, parent, start: line + start, last: line + last, lead: line + start, kind: 'value' })
      }
      from = null
    }
  }
  return rules
}

/** What structures a page or an XML file: its main elements, those that have a name, and the rules of its styles. */
export function markupUnits(text: string): FileUnits {
  const plain = text.replace(/<!--[^]*?(?:-->|$)/g, comment => comment.replace(/[^\n]/g, ''))
  const names = new Set(Array.from(plain.matchAll(STRUCTURE), ([, element = '']) => `<${element.toLowerCase()}>`))
  for (const [, tag = ''] of plain.matchAll(TAG)) {
    const inside = tag.slice(0, MAX_TAG)
    const element = /^[\w:.-]+/.exec(inside)?.[0] ?? ''
    for (const [, attribute = '', value = ''] of inside.matchAll(NAMED)) {
      const name = element === '' ? null : attributeName(element, attribute, value)
      if (name !== null) names.add(name)
    }
  }
  for (const [, element = '', value = ''] of plain.matchAll(CALLED_BY_TEXT)) names.add(`<${element}>${value.trim()}`)
  const page = namesOnly(names)
  const style = page.units.findIndex(({ name }) => name === '<style>')
  if (style < 0) return page
  return { ...page, units: [...page.units, ...styleRules(plain, style)] }
}

const INSTRUCTION = /^\s*([A-Za-z]+)\s+(\S.*)$/
const INSTRUCTIONS = new RegExp(
  '^(?:ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|ONBUILD|RUN|SHELL|STOPSIGNAL|USER' +
    '|VOLUME|WORKDIR)$',
  'i',
)

/** The instructions of a Dockerfile: stages and variables by name, the others by what they are. */
export function dockerUnits(lines: readonly string[]): FileUnits {
  const names = new Set<string>()
  let stages = 0
  for (const line of lines) {
    const [, word = '', rest = ''] = INSTRUCTION.exec(line) ?? []
    if (!INSTRUCTIONS.test(word)) continue
    const instruction = word.toUpperCase()
    if (instruction === 'FROM') names.add(`FROM ${/\bAS\s+(\S+)/i.exec(rest)?.[1] ?? `(stage ${++stages})`}`)
    else if (instruction === 'ENV' || instruction === 'ARG') {
      names.add(`${instruction} ${/^[\w.]+/.exec(rest)?.[0] ?? ''}`)
    } else names.add(instruction)
  }
  return namesOnly(names)
}
