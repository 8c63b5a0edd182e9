import { findCommandPasswords } from './redact-commands.ts'
import { RULES, type RedactionRule } from './redaction-rules.ts'
import { findPrivateKeys } from './redact-private-key.ts'
import type { Redacted } from './redacted.ts'
import { rawText, replaceParts, seenText, type Replacement, type SeenText } from './seen-text.ts'

/** What one rule finds, in order. */
function findByRule(text: string, { kind, pattern, isSecret }: RedactionRule): Replacement[] {
  const found: Replacement[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { before = '', secret = '' } = match.groups ?? {}
    if (isSecret !== undefined && !isSecret(secret)) continue
    const from = match.index + before.length
    found.push({ from, to: from + secret.length, by: `[redacted:${kind}]` })
  }
  return found
}

function withoutSecrets(seen: SeenText): { seen: SeenText; count: number } {
  const keys = findPrivateKeys(seen.text)
  let count = keys.count
  let clean = replaceParts(seen, keys.parts)
  const replace = (found: readonly Replacement[]) => {
    count += found.length
    clean = replaceParts(clean, found)
  }
  replace(findCommandPasswords(clean.text))
  for (const rule of RULES) replace(findByRule(clean.text, rule))
  return { seen: clean, count }
}

/**
 * Replaces what looks like a secret by `[redacted:kind]`: keys and tokens in their issuer's form, private key blocks,
 * passwords in assignments, arguments of programs and connection strings, and long random values that are assigned to a
 * name such as `api_key`. It looks at the text as a person sees it (without colours, prefixes of logs and line numbers,
 * with line breaks and quotes that are written out), and at the text as it is. Names, quotes, line breaks, prefixes and
 * line numbers stay, so code and traces keep their shape. Random values without such a name (commit hashes, UUIDs,
 * integrity sums, images) stay. Linear in the length of the text; idempotent.
 */
export function redact(text: string): Redacted {
  const { seen, count } = withoutSecrets(seenText(text))
  if (seen.hidden.length === 0) return { text: seen.text, count }
  // What was taken for an escape may be part of a secret.
  const rest = withoutSecrets({ text: rawText(seen), hidden: [] })
  return { text: rest.seen.text, count: count + rest.count }
}
