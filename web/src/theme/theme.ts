import { Checkbox, Drawer, Menu, Modal, Popover, Select, Tooltip, createTheme } from '@mantine/core';

/** Behaviour that is the same everywhere; looks come from mantine.css. The page does not scroll, its parts do: nothing has to be locked. */
export const theme = createTheme({
  fontFamily: 'var(--sans)',
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, size: 460, transitionProps: { duration: 120 } } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, position: 'right', size: 460, transitionProps: { duration: 200 } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, transitionProps: { duration: 120 }, multiline: true } }),
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 120 }, position: 'bottom-end', offset: 4 } }),
    Popover: Popover.extend({ defaultProps: { transitionProps: { duration: 120 }, offset: 4 } }),
    Select: Select.extend({ defaultProps: { comboboxProps: { transitionProps: { duration: 120 }, offset: 2 }, checkIconPosition: 'right', maxDropdownHeight: 320 } }),
    Checkbox: Checkbox.extend({ defaultProps: { size: 'xs' } }),
  },
});
