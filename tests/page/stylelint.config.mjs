// What the styles of the pages are held to, beyond their format.
export default {
  extends: ['stylelint-config-standard'],
  rules: {
    // rules stand by subject, not by weight
    'no-descending-specificity': null,
    // colours are read as the numbers of oklch
    'alpha-value-notation': 'number',
    'hue-degree-notation': 'number',
    'lightness-notation': 'number',
    // names of fonts
    'value-keyword-case': ['lower', { camelCaseSvgKeywords: true, ignoreProperties: [/^--(font|mono)$/] }],
    // what some browsers know by no other name yet
    'property-no-vendor-prefix': [true, { ignoreProperties: ['appearance', 'text-size-adjust', 'print-color-adjust'] }],
    'declaration-block-no-redundant-longhand-properties': [true, { ignoreShorthands: ['inset', 'place-content'] }],
  },
};
