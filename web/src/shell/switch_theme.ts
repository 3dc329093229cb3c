import { isDark, prefer } from '@/theme/preferences';

export const switchTheme = (): void => prefer({ theme: isDark() ? 'light' : 'dark' });
