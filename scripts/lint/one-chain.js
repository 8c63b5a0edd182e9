/** One question an expression: no `?:` or `??` chain stands inside another one, functions in between excepted. */
export const oneChain = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { nested: 'A `?:` or `??` inside another one; give one of them a name, or use `if`.' },
  },
  create(context) {
    const check = node => {
      if (isRestOfChain(node)) return
      for (let outer = node.parent; outer !== null && !ENDS.test(outer.type); outer = outer.parent) {
        if (isQuestion(outer)) return context.report({ node, messageId: 'nested' })
      }
    }
    return { ConditionalExpression: check, 'LogicalExpression[operator="??"]': check }
  },
}

/** Where an expression ends: at the statement, the function or the class that holds it. */
const ENDS = /Statement$|Declaration$|Function|^ClassBody$|^Program$/

const isQuestion = node => node.type === 'ConditionalExpression' || isNullish(node)

const isNullish = node => node.type === 'LogicalExpression' && node.operator === '??'

/** `a ?? b` in `a ?? b ?? c`. */
const isRestOfChain = node => isNullish(node) && isNullish(node.parent)
