/** Files whose names say what they hold; two of them have the same name. */
export const FILES = {
  'lib/cop/style/string_concatenation.rb': 'class StringConcatenation\nend\n',
  'lib/cop/lint/string_concatenation.rb': 'class StringConcatenation\nend\n',
  'lib/runner.rb': 'class Runner\nend\n',
  'lib/errors/broken_pipe_error.rb': 'class BrokenPipeError\nend\n',
}
