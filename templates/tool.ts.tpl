{{#hasEntity}}
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { {{tableVariable}}, type {{entityName}} } from '{{{schemaImport}}}'

/** What {{toolName}} takes. */
export interface {{toolType}}Input {
{{#fields}}
  {{property}}{{#nullable}}?{{/nullable}}: {{{type}}}{{#nullable}} | null{{/nullable}}
{{/fields}}
}

/** {{{description}}} */
export async function {{toolFunction}}(
  db: BaseSQLiteDatabase<'sync' | 'async', unknown>,
  input: {{toolType}}Input,
): Promise<{{entityName}}> {
  // TODO: check the input, and work on {{tableVariable}} with db.
  void [db, input, {{tableVariable}}]
  throw new Error('{{toolName}} is not implemented yet')
}
{{/hasEntity}}
{{^hasEntity}}
/** {{{description}}} */
export async function {{toolFunction}}(input: unknown): Promise<unknown> {
  // TODO: check the input, and do what the description says.
  void input
  throw new Error('{{toolName}} is not implemented yet')
}
{{/hasEntity}}
