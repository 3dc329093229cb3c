import type { Sniffed } from '@/api/schema';
import { t } from '@/strings/read';

export const settingNames = ['encoding', 'delimiter', 'quote', 'sheet', 'header_row'] as const;
export type SettingName = (typeof settingNames)[number];
export type Setting = Sniffed['settings'][number] & { name: SettingName };

const words: Record<string, string> = { ',': t('comma'), ';': t('semicolon'), '|': t('pipe'), ' ': t('space') };

interface Option {
  value: string;
  label: string;
}

/** What a setting can be; what it is now is always among it. */
export function optionsOf(setting: Setting): Option[] {
  const value = String(setting.value);
  const choices = setting.choices.includes(value) || value === '' ? setting.choices : [value, ...setting.choices];
  return choices.map((choice) => ({ value: choice, label: words[choice] ? `${choice}  ${words[choice]}` : choice }));
}

const kMostHeaderRows = 20;

/** Lines that could name the columns: those that are shown at the start, and none. */
export function headerRowOptions(sniffed: Pick<Sniffed, 'header_line'>): Option[] {
  const last = Math.max(kMostHeaderRows, sniffed.header_line);
  const rows = Array.from({ length: last }, (_, at) => ({ value: String(at + 1), label: t('rowNumber', { row: at + 1 }) }));
  return [{ value: '0', label: t('noHeader') }, ...rows];
}
