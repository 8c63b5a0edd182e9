export { checkMergeTarget } from '../repos/work-tree/merge-target.ts'
export { mergeIntoCheckout } from '../repos/work-tree/merge-checkout.ts'
