export default [{
  rules: { 'no-unused-vars': 'error', 'no-debugger': 'warn', 'no-undef': 'error' },
}]
