const TEST_FOLDER =
  /(?:^|\/)(?:tests?|specs?|__tests__|testing|testdata|fixtures?|testsuite|(?:unit|integration|functional|e2e|top)-?tests?|src\/\w*Test|[\w.-]*[._-][tT]ests?|tests?-[\w-]+)\//
const TEST_NAME = /(?:^|\/)(?:test_[^/]*|conftest\.py|[^/]*(?:_test|\.test|\.spec|_spec|-test|Tests?)\.\w+)$/

/** Whether a file belongs to tests, as far as its path tells. */
export const isTestFile = (path: string): boolean => TEST_FOLDER.test(path) || TEST_NAME.test(path)
