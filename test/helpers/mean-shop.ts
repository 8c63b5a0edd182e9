/** A shop whose report fails with `MEAN_TRACE`. */
export const MEAN_FILES = {
  '.github/CODEOWNERS': '*.py @ann\n',
  'shop/__init__.py': '',
  'shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n',
  'shop/report.py': 'from shop.prices import average\n\n\ndef report():\n    return f"mean: {average([])}"\n',
  'test_report.py':
    'import unittest\nfrom shop.report import report\n\n\nclass ReportTest(unittest.TestCase):\n' +
    '    def test_empty(self):\n        self.assertEqual(report(), "mean: 0")\n',
}
export const MEAN_TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/report.py", line 5, in report\n' +
  '    return f"mean: {average([])}"\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
/** A model's answer that mends it, with the mean of nothing. */
export const mendMean = (value: string) => ({
  text:
    'An empty list has no mean. Closes #4, says @ann.\n\n```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,5 @@\n' +
    ` def average(items):\n+    if not items:\n+        return ${value}\n     total = sum(items)\n` +
    '     return total / len(items)\n```\n',
})
/** A fix that nobody is asked about, and that is pushed. */
export const PUSHED_FIX = { stacktrace: MEAN_TRACE, project_name: 'shop', review: 'auto', push: true }
