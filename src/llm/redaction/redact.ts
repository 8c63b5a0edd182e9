import { hideCommandPasswords } from './redact-commands.ts'
import { RULES } from './redaction-rules.ts'
import { hidePrivateKeys } from './redact-private-key.ts'
import type { Redacted } from './redacted.ts'

/**
 * Replaces what looks like a secret by `[redacted:kind]`: keys and tokens in their issuer's form, private key blocks,
 * passwords in assignments, arguments of programs and connection strings, and long random values that are assigned to a
 * name such as `api_key`. Names, quotes, line breaks and the line numbers of a context stay, so code keeps its shape.
 * Random values without such a name (commit hashes, UUIDs, integrity sums, images) stay. Linear in the length of the
 * text; idempotent.
 */
export function redact(text: string): Redacted {
  const withoutKeys = hidePrivateKeys(text)
  const withoutArguments = hideCommandPasswords(withoutKeys.text)
  let count = withoutKeys.count + withoutArguments.count
  let result = withoutArguments.text
  for (const { kind, pattern, isSecret } of RULES) {
    result = result.replace(pattern, (...args) => {
      const groups = args.at(-1) as { before?: string; secret: string; after?: string }
      if (isSecret !== undefined && !isSecret(groups.secret)) return args[0]
      count += 1
      return `${groups.before ?? ''}[redacted:${kind}]${groups.after ?? ''}`
    })
  }
  return { text: result, count }
}
