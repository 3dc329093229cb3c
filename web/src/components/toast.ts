import { notifications } from '@mantine/notifications';
import { t } from '@/strings/general';

/** Says that something was done. Never the only place of an error: those stand where they happened. */
export const toast = (message: string): void => {
  notifications.show({ message, autoClose: 4000, withBorder: true, closeButtonProps: { 'aria-label': t('close') } });
};
