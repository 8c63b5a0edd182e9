const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&#x27;', "'"],
  ['&apos;', "'"],
  ['&nbsp;', ' '],
  ['&amp;', '&'],
])
const ENTITY = /&(?:lt|gt|quot|#39|#x27|apos|nbsp|amp);/
const ALL_ENTITIES = new RegExp(ENTITY, 'g')

/** Whether a text has a character as HTML escapes it. */
export const hasEntity = (text: string): boolean => ENTITY.test(text)

/** A text with the characters that HTML escapes. */
export const withoutEntities = (text: string): string =>
  text.replace(ALL_ENTITIES, entity => ENTITIES.get(entity) ?? entity)
