import { camelize, pluralize, singularize, underscore } from 'inflection'

/** What entities, tables, fields and tools may be called: it stands in code, paths and SQL. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]{0,62}$/

/** Whether a name can stand in code. */
export const isIdentifier = (name: string): boolean => IDENTIFIER.test(name)

/** Capital letters in a row as a word, the last of which begins the next one: `APIKey` is `ApiKey`. */
function inWords(capitals: string, at: number, whole: string): string {
  const hasNext = /[a-z]/.test(whole.charAt(at + capitals.length))
  const own = hasNext ? capitals.slice(0, -1) : capitals
  return own.charAt(0) + own.slice(1).toLowerCase() + capitals.slice(own.length)
}

/** A name in the words of code: kebab, blanks and capital letters become `snake_case`; one word stays one. */
export const snakeCase = (name: string): string =>
  underscore(name.trim().replace(/[A-Z]{2,}/g, inWords))
    .split(/[\s_-]+/)
    .join('_')
    .toLowerCase()

/** The last of several words in another number: `order_items` is `order_item` as `items` is `item`, and `s` is `s`. */
function inNumber(name: string, change: (word: string) => string): string {
  const words = snakeCase(name).split('_')
  const last = words.at(-1) ?? ''
  return [...words.slice(0, -1), change(last) || last].join('_')
}

/** What one of them is called: `characters` and `character` are `Character`. */
export const entityName = (name: string): string => camelize(inNumber(name, singularize))

/** Where they are stored: `Character` in `characters`, `Person` in `people`. */
export const tableName = (entity: string): string => inNumber(entity, pluralize)

/** What adds one of them: `add_character`. */
export const addingTool = (entity: string): string => `add_${inNumber(entity, singularize)}`

/** A name for functions: `addCharacter`. */
export const functionName = (name: string): string => camelize(snakeCase(name), true)
