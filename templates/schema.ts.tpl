import { {{{drizzleImports}}} } from 'drizzle-orm/sqlite-core'

export const {{tableVariable}} = sqliteTable('{{tableName}}', {
  id: integer('id').primaryKey({ autoIncrement: true }),
{{#fields}}
  {{property}}: {{{column}}},
{{/fields}}
  createdAt: integer('created_at', { mode: 'timestamp' })
    .notNull()
    .$defaultFn(() => new Date()),
})

export type {{entityName}} = typeof {{tableVariable}}.$inferSelect
export type New{{entityName}} = typeof {{tableVariable}}.$inferInsert
