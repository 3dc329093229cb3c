import type { Draft } from '@/api/schema';

export type StepName = Draft['step'];
export const stepNames: readonly StepName[] = ['file', 'read', 'match', 'preview'];

export const stepNumber = (step: StepName): number => stepNames.indexOf(step) + 1;
export const isStep = (text: string | undefined): text is StepName => stepNames.includes(text as StepName);
