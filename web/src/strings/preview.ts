import { catalogue } from './catalogue';

/** Step 4 of a new import: what will happen. */
export const t = catalogue({
  title: 'Preview',
  checking: 'Checking {total} rows … {done} checked, {problems} problems so far',
  checkingFew: 'Checking the rows … {problems} problems so far',
  mayClose: 'You may close this page.',
  back: 'Going back makes a new preview.',
  backTitle: 'Go back to the columns?',
  backBody: 'Going back makes a new preview. Nothing was written yet.',
  backEdits: { one: 'Going back makes a new preview; your {count} edit is kept.', other: 'Going back makes a new preview; your {count} edits are kept.' },
  notTaken: { one: '{count} edit of the last preview was not taken over.', other: '{count} edits of the last preview were not taken over.' },
  notTakenYet: { one: '{count} edit of the last preview is taken over when {who} opens this.', other: '{count} edits of the last preview are taken over when {who} opens this.' },
  stay: 'Stay here',
  goBack: 'Go back',
  stopped: 'Stopped while checking.',
  openImport: 'Open the import',
  openReview: 'See the rows',
  changed: 'It was changed meanwhile; the numbers are new. Look again and press again.',
  nothingWritten: 'nothing is written yet',
});
