import type { Rule } from 'eslint'

export const oneChain: Rule.RuleModule
