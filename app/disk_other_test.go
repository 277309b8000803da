//go:build !linux

package app_test

import "errors"

const diskVariable = "SIGNALBOX_TEST_DISK"

func diskChild(string) error { return errors.ErrUnsupported }
