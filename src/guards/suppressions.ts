import { AT, BANG, HASH, OPEN_BRACKET, OPEN_PAREN } from '../outline/lexis/tokens.ts'
import type { Finding } from './guard.ts'
import { joined, scopeAt, wordAt, type Source } from './source.ts'

/** Comments that keep a checker from speaking. */
const IN_COMMENTS =
  /(?:^|[#/*\s])(noqa\b|type:\s?ignore\b|pylint:\s?disable\S*|mypy:\s?ignore\S*|pyright:\s?ignore\b|pyre-(?:ignore|fixme)\b|nosec\b|eslint-disable[\w-]*|@ts-(?:ignore|expect-error|nocheck)\b|tslint:disable[\w-]*|biome-ignore\b|oxlint-disable[\w-]*|@flow-?ignore\b|\$FlowFixMe\b|nolint\b|lint:ignore\b|rubocop:(?:disable|todo)\b|phpcs:(?:ignore|disable)\w*|@?phpstan-ignore[\w-]*|@?psalm-suppress\b|@?codingStandardsIgnore\w*|NOSONAR\b|noinspection\b|ReSharper disable\b|pragma warning disable\b|swiftlint:disable\S*|ktlint-disable\b|detekt:disable\b|CHECKSTYLE:? ?OFF|NOLINT\w*|steep:ignore\b|sorbet:disable\b)/i
const ANNOTATIONS =
  /^(?:SuppressWarnings|Suppress|SuppressLint|SuppressFBWarnings|no_type_check|NoTypeCheck|SuppressMessage|UnconditionalSuppressMessage)$/

const finding = (source: Source, line: number, detail: string, signature: string): Finding => ({
  line,
  kind: 'suppressed_check',
  detail,
  signature,
  scope: scopeAt(source, line),
})

function attribute(source: Source, at: number): Finding | null {
  const { tokens, language } = source
  const word = wordAt(source, at)
  const line = tokens.line(at)
  const isMarked = tokens.kind(at - 1) === AT || tokens.kind(at - 1) === OPEN_BRACKET || tokens.kind(at - 2) === AT
  if (ANNOTATIONS.test(word) && isMarked) {
    const end = tokens.kind(at + 1) === OPEN_PAREN ? tokens.over(at + 1) + 1 : at + 1
    const text = joined(source, { from: at, to: end })
    return finding(source, line, `${word} silences a checker.`, text)
  }
  const isAttribute =
    tokens.kind(at - 1) === OPEN_BRACKET && (tokens.kind(at - 2) === HASH || tokens.kind(at - 2) === BANG)
  if (language !== 'rust' || !/^(?:allow|expect)$/.test(word) || !isAttribute) return null
  const text = joined(source, { from: at, to: tokens.over(at + 1) + 1 })
  return finding(source, line, `#[${text.replaceAll(' ', '').slice(0, 60)}] silences a check.`, text)
}

/** Comments and marks of a text that silence a checker. */
export function suppressions(source: Source): Finding[] {
  const found = source.comments.flatMap(({ text, line }) => {
    const name = IN_COMMENTS.exec(text)?.[1]
    return name === undefined ? [] : [finding(source, line, `A comment silences a check (${name}).`, text)]
  })
  for (let at = 1; at < source.words.length; at++) {
    const mark = attribute(source, at)
    if (mark !== null) found.push(mark)
  }
  return found
}

/** A text without the comments that silence a checker on some of its lines; marks that are code stay. */
export function withoutSuppressions(text: string, lines: readonly number[]): string {
  const meant = new Set(lines)
  const clean = (line: string): string => line.replace(IN_COMMENTS, found => found.replace(/[\w@$].*/s, '-'))
  return text
    .split('\n')
    .map((line, index) => (meant.has(index + 1) ? clean(line) : line))
    .join('\n')
}
