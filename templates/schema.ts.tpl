import { {{{drizzleImports}}} } from 'drizzle-orm/sqlite-core'

export const {{tableVariable}} = sqliteTable('{{tableName}}', {
{{^hasId}}
  id: integer('id').primaryKey({ autoIncrement: true }),
{{/hasId}}
{{#fields}}
  {{property}}: {{{column}}},
{{/fields}}
{{^hasCreatedAt}}
  createdAt: integer('created_at', { mode: 'timestamp' })
    .notNull()
    .$defaultFn(() => new Date()),
{{/hasCreatedAt}}
})

export type {{entityName}} = typeof {{tableVariable}}.$inferSelect
export type New{{entityName}} = typeof {{tableVariable}}.$inferInsert
