/** What PostgreSQL shows of the connections of a node: by it a move sees that a node works on the same schema. */
export const nodeConnection = (schema: string): string => (schema === 'faultline' ? schema : `faultline ${schema}`)
