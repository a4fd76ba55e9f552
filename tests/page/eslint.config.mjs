// What the code of the pages is held to, beyond what tsc finds.
import js from '@eslint/js';

export default [
  js.configs.recommended,
  {
    // tsc knows which names a browser has
    rules: {
      'no-undef': 'off',
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-shadow': 'error',
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'writeln'].map((property) => ({
          property,
          message: 'Text is only ever set as text.',
        })),
      ],
    },
  },
];
